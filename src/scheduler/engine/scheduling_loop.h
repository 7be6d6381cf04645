// SchedulingLoop takes one pod after the other out of the queue, runs its scheduling cycle or that
// of its group, and finishes what cycles have started. One cycle runs at a time; while it waits for
// a command, nothing else may happen.
#pragma once

#include <string>
#include <vector>

#include "scheduler/engine/bindings.h"
#include "scheduler/engine/event_handlers.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/group_cycles.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/pod_cycles.h"
#include "scheduler/framework/log.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

class SchedulingLoop {
 public:
  // All must outlive this.
  struct Services {
    const model::Cluster& cluster;
    queue::SchedulingQueue& queue;
    const Outbox& outbox;
    PodCycles& pods;
    GroupCycles& groups;
    EventHandlers& handlers;
    Bindings& bindings;
    Evictions& evictions;
    BackgroundTasks& background;
    framework::Log log;
  };

  explicit SchedulingLoop(const Services& services) : services_(services) {}

  // Tries one pod; returns false if none is ready, or the cycle of the last one has not ended: it
  // waits for an extender, for a write, or for its victims to be evicted.
  bool ScheduleOne();
  // Continues the cycle that waits, after the end of a command; returns whether it waits no longer.
  bool Resume();

  // Finishes what has ended: waits for Permit plugins, binding cycles, evictions, tasks of cycles;
  // and lets the queue know of claims that they assumed. Called after whatever may end one: an
  // event, the passing of time; cycles call it themselves.
  void FinishEnded();

  // Reports whether a cycle, of a pod or a group, waits for a command.
  bool waits() const { return services_.pods.waits() || services_.groups.waits(); }
  // The uids of the pods whose cycle has not ended.
  std::vector<std::string> pods_in_cycle() const;

 private:
  void LogAttempt(model::PodId pod, int level) const;

  const Services services_;
};

}  // namespace berth::scheduler::engine
