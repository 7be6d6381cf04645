// EventIntake lets events and the passing of time act on the engine, one after the other.
//
// While a scheduling cycle waits for a command, nothing may change: all events but its result are
// deferred, and no time passes.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <utility>

#include "base/now.h"
#include "scheduler/engine/event_handlers.h"
#include "scheduler/engine/events.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/scheduling_loop.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/engine/status_writer.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

class EventIntake {
 public:
  // All must outlive this; `measurements` may be null.
  struct Services {
    Outbox& outbox;
    StatusWriter& status;
    framework::WaitingPods& waiting;
    queue::SchedulingQueue& queue;
    EventHandlers& handlers;
    ServedProfiles& profiles;
    SchedulingLoop& loop;
    framework::Measurements* measurements;
  };

  explicit EventIntake(const Services& services) : services_(services) {}

  void Handle(const Event& event, const Now& now);
  // Advances the time, and everything that waits for a time up to `now`.
  void PassTime(const Now& now);
  // When something waits for a time next; nothing if never.
  std::optional<Instant> next_wake() const;

 private:
  // Return what the event is called in metrics.
  using HandledEvents = std::span<const framework::EventType>;
  HandledEvents On(const ObjectPut& put) { return services_.handlers.Put(put.object); }
  HandledEvents On(const ObjectDeleted& deleted) {
    return services_.handlers.Delete(deleted.object);
  }
  HandledEvents On(const WriteDone& done);
  HandledEvents On(const PermitDecision& decision);
  // Resumes the scheduling cycle that waits for a command, or defers the event.
  void HandleDuringCycle(const Event& event, const Now& time);

  const Services services_;
  std::deque<std::pair<Event, Now>> deferred_events_;  // Received while a cycle waits.
};

}  // namespace berth::scheduler::engine
