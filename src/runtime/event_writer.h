// EventWriter writes what the engine tells users as events of the API: events.k8s.io/v1, or core/v1
// where the server has only that. What repeats becomes a series (driver/event_series.h).
//
// Nothing waits for an event. While the server is slow or away they queue; beyond a limit they are
// dropped, and counted. Lives on the thread that the callbacks of its requests and timers come on;
// give it a RestClient of its own, so that events take no turns of more urgent writes.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/random.h"
#include "base/time.h"
#include "client/reflector.h"
#include "client/rest_client.h"
#include "client/timers.h"
#include "runtime/event_series.h"

namespace berth::runtime {

struct EventWriterOptions {
  std::string host;           // Names this process in events: "<scheduler>-<host>".
  size_t max_waiting = 1000;  // More are dropped.
  size_t max_under_way = 32;
  uint64_t seed = 1;
};

class EventWriter {
 public:
  // `requests`, `timers` and `clock` must outlive it. The clock tells when events happen; timers
  // only how much time has passed.
  EventWriter(client::Requests& requests, client::Timers& timers, const Clock& clock,
              EventWriterOptions options, client::Warn warn);
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Finds out which group the server has. Events wait until that is known.
  void Start();

  void Add(scheduler::framework::RecordEvent event);

  size_t waiting() const { return waiting_.size(); }
  // Nothing waits, and nothing is under way.
  bool idle() const { return waiting_.empty() && under_way_.empty(); }
  size_t dropped() const { return dropped_; }

 private:
  void Queue(EventWrite write);
  void Pump();
  void Send(EventWrite write, int tries);
  void OnAnswer(EventWrite write, int tries,
                const client::RestResult<client::RestResponse>& answer);
  void Finish(const std::string& name);
  void SetTimer();
  Duration RetryPause();
  std::string PathOf(const ReportedEvent& event) const;

  client::Requests& requests_;
  client::Timers& timers_;
  const Clock& clock_;
  const EventWriterOptions options_;
  const client::Warn warn_;
  EventSeries series_;
  Random random_;
  std::optional<EventGroup> group_;
  std::deque<EventWrite> waiting_;
  std::set<std::string> under_way_;  // Names: a patch must not overtake what creates its event.
  std::multimap<std::string, EventWrite> held_;  // What waits for one of those.
  bool timer_set_ = false;
  bool warned_ = false;
  size_t dropped_ = 0;
  client::CallbackGuard callback_guard_;
};

}  // namespace berth::runtime
