#include "scheduler/engine/bindings.h"

#include <utility>

#include "scheduler/engine/plugin_trials.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {

void Bindings::Start(queue::QueueEntry entry, std::unique_ptr<const model::PodRecord> pod,
                     groups::PodTrial&& trial, const groups::PermitOutcome& permit,
                     std::span<const framework::ScoredNode> candidates) {
  BindingCycle::Placement placement{std::move(entry), std::move(pod),
                                    trial.results->share_compiled(), std::move(trial.attempt),
                                    trial.node};
  placement.evaluated = trial.evaluated;
  placement.feasible = trial.feasible;
  AwaitPermit(placement, permit);
  if (services_.reporter.attempts() != nullptr)
    placement.reported = services_.reporter.ReportPlaced(placement, candidates);
  Run(std::move(placement));
}

void Bindings::AwaitPermit(BindingCycle::Placement& placement,
                           const groups::PermitOutcome& permit) {
  if (permit.timeouts.empty()) return;
  placement.waits = true;
  ENGINE_LOG(services_.log, 4, "One or more plugins asked to wait and no plugin rejected pod",
             {{"pod", placement.pod->key().ToString()}});
  services_.waiting.Add(placement.pod->uid(), placement.pod->key(),
                        services_.cluster.nodes().name(placement.node), permit.timeouts,
                        services_.outbox.now());
}

void Bindings::Run(BindingCycle::Placement placement) {
  placement.attempt->EndSteps();
  Activate(placement.attempt->cycle());
  services_.cluster.HoldRow(placement.node);  // Until it ends, even if the node is deleted.
  auto binding = std::make_unique<BindingCycle>(
      std::move(placement),
      BindingCycle::Services{services_.outbox, services_.status, services_.extenders,
                             services_.queue, finished_, services_.log});
  BindingCycle& started = *binding;
  bindings_.emplace(&started, std::move(binding));
  const std::string& uid = started.pod().uid();
  binding_of_.erase(uid);  // Its key may not outlive the other binding cycle: see Finish.
  binding_of_.emplace(uid, &started);
  started.Start();
}

Eviction::Services::Stopped Bindings::Stop(const std::string& uid) {
  using Stopped = Eviction::Services::Stopped;
  if (services_.waiting.Preempt(uid)) return Stopped::kWaiting;
  const auto binding = binding_of_.find(uid);
  const bool cancelled =
      binding != binding_of_.end() && binding->second->Cancel("preempted by DefaultPreemption");
  return cancelled ? Stopped::kPreBinding : Stopped::kNot;
}

bool Bindings::IsStopping(const std::string& uid) const {
  const auto binding = binding_of_.find(uid);
  return binding != binding_of_.end() && binding->second->cancelled();
}

void Bindings::ContinueResolved() {
  for (auto& [uid, verdict] : services_.waiting.TakeResolved())
    binding_of_.at(uid)->Permit(std::move(verdict));
}

void Bindings::FinishEnded() {
  for (BindingCycle* binding : std::exchange(finished_, {})) Finish(*binding);
}

void Bindings::Finish(BindingCycle& binding) {
  const model::PodRecord& pod = binding.pod();
  const framework::Verdict& verdict = binding.verdict();
  model::Cluster& cluster = services_.cluster;
  // A pod that was deleted and created again may have a second binding cycle.
  const auto current = binding_of_.find(pod.uid());
  const bool is_current = current != binding_of_.end() && current->second == &binding;
  if (is_current) binding_of_.erase(current);
  services_.reporter.ReportBindingEnd(binding);
  if (verdict.ok()) {
    Activate(binding.cycle());
  } else {
    PluginTrials::Unreserve(*binding.placement().attempt, binding.node());
    const bool assumed = is_current && cluster.pods().Contains(pod.id) &&
                         cluster.pod(pod.id).uid() == pod.uid() &&
                         cluster.pod(pod.id).state == model::PodState::kAssumed;
    if (assumed) cluster.Forget(pod.id);
    queue::Failure failure = FailureOf(binding);
    const bool in_group =
        cluster.features().has_groups() && pod.object->spec.pod_group_name.has_value();
    if (in_group) {
      failure.why = {};  // Members are retried after a backoff.
      StopBrokenGroup(pod);
    }
    // The pod's capacity is free for others. The pod itself must not be requeued by that.
    auto requeue_other_pods = [&] {
      services_.queue.MoveAllToActiveOrBackoffQueue(
          {.type = {framework::Resource::kAssignedPod, framework::kDelete},
           .before = services_.handlers.Placed(*pod.object, binding.node())},
          services_.outbox.now(),
          [&](const queue::QueueEntry& entry) { return entry.uid != pod.uid(); });
    };
    if (assumed && !failure.rejected) requeue_other_pods();
    services_.failures.Handle(std::move(binding.placement().entry), pod, failure,
                              binding.placement().attempt->meter());
    if (assumed && failure.rejected) requeue_other_pods();
    Decision decision = FailedDecision(pod, failure);
    decision.kind = Decision::Kind::kFailed;
    services_.reporter.Report(decision);
  }
  cluster.Release(pod);
  cluster.ReleaseRow(binding.node());
  bindings_.erase(&binding);
}

queue::Failure Bindings::FailureOf(const BindingCycle& binding) const {
  const framework::Verdict& verdict = binding.verdict();
  queue::Failure failure;
  failure.rejected = verdict.rejected();
  failure.message = verdict.Message();
  failure.announced = binding.announced();
  if (binding.rejected_by_permit()) {
    failure.why.unschedulable =
        verdict.plugin().empty()
            ? queue::Rejectors::kNoPlugin
            : services_.profiles[binding.placement().entry.profile].MaskOf(verdict.plugin());
  }
  return failure;
}

void Bindings::StopBrokenGroup(const model::PodRecord& failed) {
  const auto key = model::GroupNamedBy(*failed.object);
  if (!key || !groups::IsBroken(services_.cluster, *key)) return;
  constexpr const char* kReason = "another member of the pod group could not be bound";
  for (model::PodId id : services_.cluster.groups().Of(*key).scheduled) {
    const std::string& uid = services_.cluster.pod(id).uid();
    if (services_.waiting.Reject(uid, "", kReason)) continue;
    const auto binding = binding_of_.find(uid);
    if (binding != binding_of_.end()) binding->second->Cancel(kReason);
  }
}

void Bindings::Activate(framework::Cycle& cycle) {
  for (model::PodId pod : cycle.TakeActivated()) {
    if (services_.cluster.pods().Contains(pod))
      services_.queue.Activate(pod, services_.outbox.now());
  }
}

}  // namespace berth::scheduler::engine
