// How the engine acts on the outcome of a group's cycle: the members that have a node are bound, or
// all return to the queue, and the group's condition is written.

#include <utility>

#include "api/object.h"
#include "scheduler/engine/engine_state.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {
namespace {

framework::GroupAttemptResult ResultOf(const GroupTrial& trial) {
  if (trial.verdict.ok()) return framework::GroupAttemptResult::kScheduled;
  if (!trial.verdict.rejected()) return framework::GroupAttemptResult::kError;
  return trial.waiting_on_preemption ? framework::GroupAttemptResult::kWaitingOnPreemption
                                     : framework::GroupAttemptResult::kUnschedulable;
}

// A member that has a node, in a group that as a whole has none.
Failure WaitsForOthers(const MemberTrial& member) {
  Failure failure;
  failure.rejected = true;
  failure.message = "pod group is unschedulable";
  if (!member.permitted) {
    failure.message += ", " + member.permit_message;
    failure.message += ", one or more plugins asked to wait and no plugin rejected pod";
  }
  return failure;
}

Decision DecisionAbout(const model::PodRecord& pod) {
  Decision decision;
  decision.pod = pod.id;
  decision.key = pod.key();
  return decision;
}

}  // namespace

void Engine::State::SubmitGroup(GroupCycle& cycle, GroupTrial trial) {
  std::vector<model::PodId> left_over;
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    GroupMember& member = cycle.members[i];
    MemberTrial* tried = i < trial.members.size() ? &trial.members[i] : nullptr;
    if (trial.verdict.ok() && tried->node.valid()) {
      BindMember(cycle, std::move(member), std::move(*tried));
      continue;
    }
    left_over.push_back(member.pod->id);
    Failure failure = FailureOfMember(trial, tried);
    if (i < trial.nominations.size() && trial.nominations[i].valid()) {
      failure.nomination = {.replace = true,
                            .node = cluster_.nodes().info(trial.nominations[i]).name};
    }
    ReturnMember(std::move(member), tried, failure);
  }
  if (measurements_ != nullptr) {
    cycle.meter.Begin();
    measurements_->GroupAttemptEnded(cycle.profile, ResultOf(trial), cycle.meter.so_far());
  }
  if (const auto* group = cluster_.objects<api::PodGroup>().Find(cycle.group))
    group_conditions_.Update(*group, trial.verdict);
  if (!trial.verdict.ok()) return;
  // They have a cycle of their own at once: the group is scheduled, and may preempt for them.
  for (model::PodId id : left_over) {
    if (cluster_.pods().Contains(id)) queue_.Activate(id, now());
  }
}

void Engine::State::BindMember(const GroupCycle& cycle, GroupMember member, MemberTrial trial) {
  PermitOutcome permit = RunPermitPlugins(cycle.profile, *trial.attempt, trial.node);
  if (permit.failure) {
    TakeBack(member, trial);
    return ReturnMember(std::move(member), &trial, *permit.failure);
  }
  Decision decision = DecisionAbout(*member.pod);
  decision.node = cluster_.nodes().name(trial.node);
  decision.explanation = std::move(trial.explanation);
  StartBinding({std::move(member.entry), std::move(member.pod), trial.results->share_compiled(),
                std::move(trial.attempt), trial.node},
               permit);
  Report(decision);
}

Failure Engine::State::FailureOfMember(const GroupTrial& trial, const MemberTrial* member) const {
  const bool has_error = member != nullptr && member->failure && !member->failure->rejected;
  if (!trial.verdict.ok() && !trial.verdict.rejected()) {
    if (has_error) return *member->failure;
    Failure failure;
    failure.message = trial.verdict.Message();
    return failure;
  }
  if (member == nullptr) {
    Failure failure;
    failure.rejected = true;
    failure.message = trial.verdict.Message();
    failure.nomination = {.replace = false, .node = {}};
    return failure;
  }
  if (member->needs_preemption && !trial.waiting_on_preemption) return WaitsForOthers(*member);
  if (member->failure) return *member->failure;
  if (!trial.waiting_on_preemption) return WaitsForOthers(*member);
  Failure failure;
  failure.rejected = true;
  failure.message = trial.verdict.Message();
  failure.nomination = {.replace = true, .node = cluster_.nodes().info(member->node).name};
  return failure;
}

void Engine::State::ReturnMember(GroupMember member, const MemberTrial* trial,
                                 const Failure& failure) {
  const framework::AttemptMeter meter =
      trial == nullptr ? MakeMeter(member.entry.profile) : trial->meter;
  Decision decision = DecisionAbout(*member.pod);
  decision.kind = failure.rejected ? Decision::Kind::kUnschedulable : Decision::Kind::kFailed;
  decision.message = failure.message;
  if (trial != nullptr) decision.explanation = trial->explanation;
  if (trial != nullptr && !trial->victims.empty()) {
    decision.victims = trial->victims;
    if (trial->node.valid()) decision.nominated_node = cluster_.nodes().name(trial->node);
  }
  HandleFailure(std::move(member.entry), *member.pod, failure, meter);
  cluster_.Release(*member.pod);
  Report(decision);
}

void Engine::State::StopBrokenGang(const model::PodRecord& failed) {
  const auto key = model::GroupNamedBy(*failed.object);
  const api::PodGroup* group = key ? cluster_.objects<api::PodGroup>().Find(*key) : nullptr;
  if (group == nullptr || !group->min_count) return;
  const auto& scheduled = cluster_.groups().Of(*key).scheduled;
  if (static_cast<int64_t>(scheduled.size()) >= *group->min_count) return;
  constexpr const char* kReason = "another member of the pod group could not be bound";
  for (model::PodId id : scheduled) {
    const std::string& uid = cluster_.pod(id).uid();
    if (waiting_.Reject(uid, "", kReason)) continue;
    const auto binding = binding_of_.find(uid);
    if (binding != binding_of_.end()) binding->second->Cancel(kReason);
  }
}

}  // namespace berth::scheduler::engine
