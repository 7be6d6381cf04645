// Bindings owns the binding cycles under way: it starts them for pods that are assumed, stops those
// of preempted pods and broken groups, and acts on how they end.
//
// A bound pod remains assumed until the API shows it on its node. A pod that could not be bound
// returns to the queue, unless it was deleted or the API shows that it was bound after all.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scheduler/engine/attempt_reporter.h"
#include "scheduler/engine/binding_cycle.h"
#include "scheduler/engine/event_handlers.h"
#include "scheduler/engine/eviction.h"
#include "scheduler/engine/extenders.h"
#include "scheduler/engine/failure_handler.h"
#include "scheduler/engine/served_profiles.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/groups/pod_trial.h"

namespace berth::scheduler::engine {

class Bindings {
 public:
  // All must outlive this.
  struct Services {
    model::Cluster& cluster;
    queue::SchedulingQueue& queue;
    framework::WaitingPods& waiting;
    Outbox& outbox;
    StatusWriter& status;
    Extenders& extenders;
    const ServedProfiles& profiles;
    EventHandlers& handlers;
    FailureHandler& failures;
    AttemptReporter& reporter;
    framework::Log log;
  };

  explicit Bindings(const Services& services) : services_(services) {}

  // Starts the binding cycle of a pod that is assumed on the node of `trial`. It waits for the
  // plugins that returned Wait, if any did. `candidates` are the best nodes, for reports.
  void Start(queue::QueueEntry entry, std::unique_ptr<const model::PodRecord> pod,
             groups::PodTrial&& trial, const groups::PermitOutcome& permit,
             std::span<const framework::ScoredNode> candidates = {});

  // Cancels the binding of a preempted pod, and returns what it was doing.
  Eviction::Services::Stopped Stop(const std::string& uid);
  // Reports whether the binding of the pod is cancelled and has not ended yet.
  bool IsStopping(const std::string& uid) const;

  // Continues the binding cycles whose wait for Permit plugins has ended.
  void ContinuePermitted() {
    if (!services_.waiting.all().empty()) ContinueResolved();
  }
  bool any_ended() const { return !finished_.empty(); }
  // Acts on how binding cycles have ended.
  void FinishEnded();

  size_t size() const { return bindings_.size(); }

 private:
  void ContinueResolved();
  void AwaitPermit(BindingCycle::Placement& placement, const groups::PermitOutcome& permit);
  void Run(BindingCycle::Placement placement);
  void Finish(BindingCycle& binding);
  // A pod could not be bound; returns why, for the queue.
  queue::Failure FailureOf(const BindingCycle& binding) const;
  // A member could not be bound. If its group has too few now, the others are not bound either, as
  // far as they can be stopped.
  void StopBrokenGroup(const model::PodRecord& failed);
  // Lets the pods be tried that plugins asked for in the cycle.
  void Activate(framework::Cycle& cycle);

  const Services services_;
  std::unordered_map<const BindingCycle*, std::unique_ptr<BindingCycle>> bindings_;
  std::unordered_map<std::string_view, BindingCycle*> binding_of_;  // By the uid of its pod.
  std::vector<BindingCycle*> finished_;
};

}  // namespace berth::scheduler::engine
