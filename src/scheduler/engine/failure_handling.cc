// How the engine ends what a scheduling cycle has started: failed attempts return to the queue,
// binding cycles are finished, and the status of the pods is written.

#include <utility>

#include "scheduler/engine/engine_state.h"
#include "scheduler/model/device_model.h"

namespace berth::scheduler::engine {

void Engine::State::HandleFailure(queue::QueueEntry entry, const model::PodRecord& pod,
                                  const Failure& failure, framework::AttemptMeter meter) {
  if (meter.to() != nullptr) {
    meter.Begin();
    meter.to()->AttemptEnded(meter.profile(),
                             failure.rejected ? framework::AttemptResult::kUnschedulable
                                              : framework::AttemptResult::kError,
                             meter.so_far());
  }
  const model::PodId id =
      cluster_.pods().Find(pod.object->metadata.namespace_, pod.object->metadata.name);
  if (log_.IsOn(framework::LogMessage::kError)) LogFailure(pod, failure);
  if (id.valid() && cluster_.pod(id).uid() != pod.uid()) {
    ENGINE_LOG(
        log_, 2,
        "Pod was recreated while handling scheduling failure. Skip requeueing and status "
        "updates.",
        {{"pod", pod.key().ToString()}, {"oldUID", pod.uid()}, {"newUID", cluster_.pod(id).uid()}});
    return queue_.Done(entry.uid);
  }
  std::shared_ptr<const api::Pod> object = pod.object;
  if (!id.valid() || cluster_.pod(id).state != model::PodState::kPending) {
    queue_.Done(entry.uid);  // It was deleted, or bound after all.
    if (log_.IsOn(0)) LogNotReturned(pod, id);
  } else {
    object = cluster_.pod(id).object;
    queue_.Return(std::move(entry), id, failure.why, now());
    if (failure.nomination.replace) {
      cluster_.Nominate(id, failure.nomination.node);
    } else {
      handlers_.NominateFromStatus(id);
    }
  }
  outbox_.Post(framework::RecordEvent{.pod = pod.key(),
                                      .uid = pod.uid(),
                                      .type = "Warning",
                                      .reason = "FailedScheduling",
                                      .action = "Scheduling",
                                      .note = failure.Note(),
                                      .scheduler_name = object->spec.scheduler_name,
                                      .resource_version = pod.object->metadata.resource_version});
  const Symbol node = failure.nomination.node;
  const std::string nominated = node.valid() ? cluster_.symbols().Text(node) : std::string();
  if (log_.IsOn(3)) [[unlikely]]
    LogStatus(pod, failure, nominated);
  if (auto patch = StatusAfter(failure, *object, nominated, outbox_.wall_now()))
    status_.Patch(*std::move(patch));
}

Eviction::Services::Stopped Engine::State::StopBinding(const std::string& uid) {
  using Stopped = Eviction::Services::Stopped;
  if (waiting_.Preempt(uid)) return Stopped::kWaiting;
  const auto binding = binding_of_.find(uid);
  const bool cancelled =
      binding != binding_of_.end() && binding->second->Cancel("preempted by DefaultPreemption");
  return cancelled ? Stopped::kPreBinding : Stopped::kNot;
}

bool Engine::State::IsStopping(const std::string& uid) const {
  const auto binding = binding_of_.find(uid);
  return binding != binding_of_.end() && binding->second->cancelled();
}

void Engine::State::Reap() {
  while (true) {
    if (cluster_.devices().has_assumed_changes()) handlers_.HandleAssumedClaims();
    for (auto& [uid, verdict] : waiting_.TakeResolved()) {
      binding_of_.at(uid)->Permit(std::move(verdict));
    }
    background_.Reap();
    if (finished_bindings_.empty() && !evictions_.any_ended()) return;
    for (BindingCycle* binding : std::exchange(finished_bindings_, {})) FinishBinding(*binding);
    evictions_.FinishEnded();
  }
}

// A bound pod remains assumed until the API shows it on its node. A pod that could not be bound
// returns to the queue, unless it was deleted or the API shows that it was bound after all.
void Engine::State::FinishBinding(BindingCycle& binding) {
  const model::PodRecord& pod = binding.pod();
  const framework::Verdict& verdict = binding.verdict();
  // A pod that was deleted and created again may have a second binding cycle.
  const auto current = binding_of_.find(pod.uid());
  const bool is_current = current != binding_of_.end() && current->second == &binding;
  if (is_current) binding_of_.erase(current);
  if (attempts_ != nullptr) {
    const std::optional<Instant> ready = binding.entry().first_ready;
    attempts_->OnBindingEnd({.attempt = binding.reported(),
                             .now = present(),
                             .bound = verdict.ok(),
                             .message = verdict.ok() ? "" : verdict.Message(),
                             .since_ready = now() - ready.value_or(now()),
                             .meter = binding.attempt().meter()});
  }
  if (verdict.ok()) {
    Activate(binding.cycle());
  } else {
    Unreserve(binding.attempt(), binding.node());
    const bool assumed = is_current && cluster_.pods().Contains(pod.id) &&
                         cluster_.pod(pod.id).uid() == pod.uid() &&
                         cluster_.pod(pod.id).state == model::PodState::kAssumed;
    if (assumed) cluster_.Forget(pod.id);
    Failure failure;
    failure.rejected = verdict.rejected();
    failure.message = verdict.Message();
    failure.announced = binding.announced();
    if (binding.rejected_by_permit()) {
      failure.why.unschedulable = verdict.plugin().empty()
                                      ? queue::Rejectors::kNoPlugin
                                      : profiles_[binding.entry().profile].MaskOf(verdict.plugin());
    }
    const bool in_group =
        cluster_.features().has_groups() && pod.object->spec.pod_group_name.has_value();
    if (in_group) {
      failure.why = {};  // Members are retried after a backoff.
      StopBrokenGang(pod);
    }
    // The pod's capacity is free for others. The pod itself must not be requeued by that.
    auto requeue_other_pods = [&] {
      queue_.MoveAllToActiveOrBackoffQueue(
          {.type = {framework::Resource::kAssignedPod, framework::kDelete},
           .before = handlers_.Placed(*pod.object, binding.node())},
          now(), [&](const queue::QueueEntry& entry) { return entry.uid != pod.uid(); });
    };
    if (assumed && !failure.rejected) requeue_other_pods();
    HandleFailure(std::move(binding.entry()), pod, failure, binding.attempt().meter());
    if (assumed && failure.rejected) requeue_other_pods();
    Decision decision;
    decision.pod = pod.id;
    decision.key = pod.key();
    decision.kind = Decision::Kind::kFailed;
    decision.message = failure.message;
    Report(decision);
  }
  cluster_.Release(pod);
  cluster_.ReleaseRow(binding.node());
  bindings_.erase(&binding);
}

void Engine::State::Unreserve(framework::Attempt& attempt, model::NodeRow node) {
  const auto plugins = attempt.profile().reserve();
  attempt.meter().Begin();
  framework::PluginTimer timer(attempt.meter());
  for (size_t i = plugins.size(); i-- > 0;) {
    plugins[i]->Unreserve(attempt.cycle(), node);
    timer.End(*plugins[i], framework::MeasuredPoint::kUnreserve, framework::Code::kSuccess);
  }
  attempt.meter().End(framework::MeasuredPoint::kUnreserve, framework::Code::kSuccess);
}

void Engine::State::Activate(framework::Cycle& cycle) {
  for (model::PodId pod : cycle.TakeActivated()) {
    if (cluster_.pods().Contains(pod)) queue_.Activate(pod, now());
  }
}

}  // namespace berth::scheduler::engine
