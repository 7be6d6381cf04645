#include "scheduler/engine/scheduling_loop.h"

#include <optional>
#include <utility>

#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {

bool SchedulingLoop::ScheduleOne() {
  if (waits() || services_.pods.preempts()) return false;
  std::optional<queue::QueueEntry> entry = services_.queue.Pop(services_.outbox.now());
  if (!entry) return false;
  if (services_.cluster.features().has_groups()) {
    if (auto group = model::GroupNamedBy(*services_.cluster.pod(entry->order.pod).object)) {
      services_.groups.Run(*std::move(entry), *std::move(group));
      if (!waits()) FinishEnded();
      return true;
    }
  }
  const model::PodId pod = entry->order.pod;
  if (services_.log.IsOn(4)) [[unlikely]]
    LogAttempt(pod, 4);
  if (services_.pods.Skip(*entry)) return true;
  if (services_.log.IsOn(3)) [[unlikely]]
    LogAttempt(pod, 3);
  services_.pods.Run(*std::move(entry));
  if (!waits()) FinishEnded();
  return true;
}

bool SchedulingLoop::Resume() {
  if (services_.pods.waits() ? !services_.pods.Resume() : !services_.groups.Resume()) return false;
  FinishEnded();
  return true;
}

// One that ends may end another.
void SchedulingLoop::FinishEnded() {
  while (true) {
    if (services_.cluster.devices().has_assumed_changes()) services_.handlers.HandleAssumedClaims();
    services_.bindings.ContinuePermitted();
    services_.background.Reap();
    if (!services_.bindings.any_ended() && !services_.evictions.any_ended()) return;
    services_.bindings.FinishEnded();
    services_.evictions.FinishEnded();
  }
}

std::vector<std::string> SchedulingLoop::pods_in_cycle() const {
  std::vector<std::string> uids = services_.groups.pods_in_cycle();
  if (std::string pod = services_.pods.pod_in_cycle(); !pod.empty()) uids.push_back(std::move(pod));
  return uids;
}

void SchedulingLoop::LogAttempt(model::PodId pod, int level) const {
  ENGINE_LOG(services_.log, level,
             level == 4 ? "About to try and schedule pod" : "Attempting to schedule pod",
             {{"pod", services_.cluster.pod(pod).key().ToString()}});
}

}  // namespace berth::scheduler::engine
