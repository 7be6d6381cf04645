// EventWriter writes the engine's events to the API: as events.k8s.io/v1, or core/v1 where the
// server has only that. Repeated events become a series (event_series.h).
//
// Nothing waits for an event. While the server is slow or unreachable events queue; beyond a limit
// they are dropped. All are counted. Runs on one executor's thread. Give it its own RestClient, so
// that events do not use the rate limit of more urgent writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/random.h"
#include "base/time.h"
#include "client/reflector.h"
#include "client/rest_client.h"
#include "net/executor.h"
#include "runtime/event_series.h"
#include "runtime/write_fence.h"

namespace berth::runtime {

// What becomes of events; read on any thread.
struct EventCounts {
  std::atomic<size_t> waiting = 0;  // Not sent yet.
  std::atomic<uint64_t> written = 0;
  std::atomic<uint64_t> dropped = 0;  // Too many waited, or the server could not be reached.
  std::atomic<uint64_t> refused = 0;  // By the server.
};

struct EventWriterOptions {
  std::string host;           // Names this process in events: "<scheduler>-<host>".
  size_t max_waiting = 1000;  // Further events are dropped.
  size_t max_under_way = 32;
  uint64_t seed = 1;
  // Where they are counted.
  std::shared_ptr<EventCounts> counts = std::make_shared<EventCounts>();
};

class EventWriter {
 public:
  // All references must outlive the writer and its requests; the client calls back on the executor.
  // `wall_clock` gives the times in events. Without the lease of `fence` events are dropped.
  EventWriter(client::RestClient& client, net::Executor& executor, const Clock& wall_clock,
              const WriteFence& fence, EventWriterOptions options, client::Warn warn);
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Discovers which group the server has. Events queue until that is known.
  void Start();

  void Add(scheduler::framework::RecordEvent event);

  size_t waiting() const { return waiting_.size() + held_.size(); }
  // Reports whether no event is queued or in flight.
  bool idle() const { return waiting_.empty() && under_way_.empty(); }
  const EventCounts& counts() const { return *options_.counts; }

 private:
  void Queue(EventWrite write);
  void Pump();
  void Send(EventWrite write, int tries);
  void OnResponse(EventWrite write, int tries, const net::HttpResult<net::HttpResponse>& response);
  void Finish(const std::string& name);
  // Logs it, unless there was a warning not long ago.
  void WarnOfRefusal(const net::HttpResponse& response);
  void SetTimer();
  Duration RetryPause();
  std::string PathOf(const ReportedEvent& event) const;

  client::RestClient& client_;
  net::Executor& executor_;
  const Clock& wall_clock_;
  const WriteFence& fence_;
  const EventWriterOptions options_;
  const client::Warn warn_;
  EventSeries series_;
  Random random_;
  std::optional<EventGroup> group_;
  std::deque<EventWrite> waiting_;
  std::set<std::string> under_way_;  // Names: a patch must not overtake the creation of its event.
  std::multimap<std::string, EventWrite> held_;  // Writes that wait for one of those.
  bool timer_set_ = false;
  std::optional<Instant> warned_at_;
  net::CallbackGuard callback_guard_;
};

}  // namespace berth::runtime
