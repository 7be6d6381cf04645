// EventSeries folds repeated events into series, as kube-scheduler does, and returns the writes
// that this takes. It does no I/O, and the caller passes the time.
//
// An event that differs from an earlier one only in its note is a repetition. The first is created;
// the second turns it into a series (a patch, count 2); later ones are only counted. Every half
// hour the counts of all series are written. Every six minutes, series without an event for six
// minutes are written a last time and dropped, and so are single events of that age.
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

#include "base/now.h"
#include "base/random.h"
#include "base/time.h"
#include "scheduler/framework/writes.h"

namespace berth::runtime {

// An event and its number of occurrences.
struct ReportedEvent {
  scheduler::framework::RecordEvent what;
  std::string name;                // metadata.name
  std::string reporting_instance;  // "<scheduler>-<host>"
  Instant at;
  int64_t count = 1;           // From 2 on the event is a series.
  Instant last_observed = {};  // Set for a series.

  friend bool operator==(const ReportedEvent&, const ReportedEvent&) = default;
};

// The API groups that serve events; the second is for servers without the first.
enum class EventGroup { kEvents, kCore };

// Returns the namespace of the event, which is the pod's.
const std::string& NamespaceOf(const ReportedEvent& event);

// Returns the event as JSON, with its series if it has one.
std::string EventBody(const ReportedEvent& event, EventGroup group);
// Returns a merge patch that updates the series of the event.
std::string SeriesPatch(const ReportedEvent& event);

struct EventWrite {
  // If true, patches the series of the event, or creates the event if it no longer exists. If
  // false, creates the event.
  bool patch = false;
  ReportedEvent event;
};

class EventSeries {
 public:
  // DIFFERS: beyond this number of events the oldest is dropped, without a last write.
  static constexpr size_t kMaxSeries = 50'000;

  // `host` is the end of the name of the reporting instance. The periods are those of the steady
  // clock and begin at `start`. `seed` is for the names of events about pods whose own names are
  // too long.
  EventSeries(std::string host, Instant start, uint64_t seed);

  // Adds an event. If the version of the pod is unknown, the note takes its place: a different note
  // means that the pod has changed.
  std::optional<EventWrite> Add(scheduler::framework::RecordEvent event, const Now& now);

  // Returns the writes of the periods that ended by `now`. Call it at next_due or later.
  std::vector<EventWrite> Due(Instant now);
  // Returns when to call Due next; nullopt while there is no event.
  std::optional<Instant> next_due() const;

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    ReportedEvent event;
    Instant last_seen;  // By the steady clock.
  };
  using List = std::list<Entry>;

  std::string NewName(const std::string& pod, Instant now);
  void Finish(Instant now, std::vector<EventWrite>& out);

  const std::string host_;
  Random random_;
  List entries_;  // In order of their first occurrence.
  std::unordered_map<std::string_view, List::iterator> by_key_;  // Views of Entry::key.
  Instant last_finish_;
  Instant last_refresh_;
  int64_t last_stamp_ = 0;
};

}  // namespace berth::runtime
