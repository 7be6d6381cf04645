// EventSeries folds repeated events into series, as kube-scheduler does, and returns the writes
// this takes: it does no I/O and is given the time.
//
// An event that differs from an earlier one in its note alone is the same event again. The first is
// created; the second makes a series of it (a patch, count 2); later ones are counted here. Every
// half hour the counts of all series are written; every six minutes those that have been quiet for
// as long are written a last time and dropped, and so are single events of that age.
//
// Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "scheduler/framework/writes.h"

namespace berth::runtime {

// One event, and how often it has happened.
struct ReportedEvent {
  scheduler::framework::RecordEvent what;
  std::string name;                // metadata.name
  std::string reporting_instance;  // "<scheduler>-<host>"
  Instant at;
  int64_t count = 1;           // A series from 2 on.
  Instant last_observed = {};  // Of a series.

  friend bool operator==(const ReportedEvent&, const ReportedEvent&) = default;
};

// The two groups that serve events; the second is for servers without the first.
enum class EventGroup { kEvents, kCore };

// The namespace that the event belongs in: the pod's.
const std::string& NamespaceOf(const ReportedEvent& event);

// The event as JSON, with its series if it has one.
std::string EventBody(const ReportedEvent& event, EventGroup group);
// A merge patch that brings the series of the event up to date.
std::string SeriesPatch(const ReportedEvent& event);

struct EventWrite {
  // Patch the series of the event; if there is none of that name any more, create it. Else create.
  bool patch = false;
  ReportedEvent event;
};

class EventSeries {
 public:
  // DIFFERS: beyond so many events the oldest is dropped, without a last write.
  static constexpr size_t kMaxKept = 50'000;

  // `host` ends the name of the reporting instance. The periods begin at `start`. The seed is for
  // names of events about pods whose own names are too long.
  EventSeries(std::string host, Instant start, uint64_t seed);

  // Adds an event. If the version of the pod is not known, the note stands for it: another note
  // means that the pod has changed.
  std::optional<EventWrite> Add(scheduler::framework::RecordEvent event, Instant now);

  // Returns the writes of the periods that ended by `now`. To be called at next_due, or later.
  std::vector<EventWrite> Due(Instant now);
  // When to call Due next; nothing while there is no event.
  std::optional<Instant> next_due() const;

  size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    std::string key;
    ReportedEvent event;
  };
  using List = std::list<Kept>;

  std::string NewName(const std::string& pod, Instant now);
  void Finish(Instant now, std::vector<EventWrite>& out);

  const std::string host_;
  Random random_;
  List kept_;                                                    // By their first time.
  std::unordered_map<std::string_view, List::iterator> by_key_;  // Views of Kept::key.
  Instant last_finish_;
  Instant last_refresh_;
  int64_t last_stamp_ = 0;
};

}  // namespace berth::runtime
