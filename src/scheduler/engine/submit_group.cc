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
  std::vector<PermitOutcome> permits;
  if (trial.verdict.ok()) permits = AskPermits(cycle, trial);
  std::vector<model::PodId> left_over;
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    GroupMember& member = cycle.members[i];
    MemberTrial* tried = i < trial.members.size() ? &trial.members[i] : nullptr;
    if (trial.verdict.ok() && tried->node.valid()) {
      BindMember(std::move(member), std::move(*tried), permits[i]);
      continue;
    }
    const bool rejected_late = i < permits.size() && permits[i].failure;
    if (!rejected_late) left_over.push_back(member.pod->id);
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
  if (log_.IsOn(framework::LogMessage::kError)) LogGroup(cycle, trial, left_over.size());
  if (const auto* group = cluster_.objects<api::PodGroup>().Find(cycle.group))
    group_conditions_.Update(*group, trial.verdict);
  if (!trial.verdict.ok()) return;
  // They have a cycle of their own at once: the group is scheduled, and may preempt for them.
  for (model::PodId id : left_over) {
    if (cluster_.pods().Contains(id)) queue_.Activate(id, now());
  }
}

std::vector<PermitOutcome> Engine::State::AskPermits(const GroupCycle& cycle, GroupTrial& trial) {
  std::vector<PermitOutcome> permits(trial.members.size());
  for (size_t i = 0; i < trial.members.size(); ++i) {
    MemberTrial& member = trial.members[i];
    if (!member.node.valid()) continue;
    permits[i] = RunPermitPlugins(cycle.profile, *member.attempt, member.node);
    if (!permits[i].failure) continue;
    TakeBack(cycle.members[i], member);
    std::erase(trial.assumed, i);
    member.node = {};
    member.failure = permits[i].failure;
  }
  if (!IsBroken(cycle.group)) return permits;
  TakeBack(cycle, trial);
  trial.verdict = {framework::Code::kUnschedulable, "pod group is unschedulable"};
  return {};
}

void Engine::State::BindMember(GroupMember member, MemberTrial trial, const PermitOutcome& permit) {
  Decision decision = DecisionAbout(*member.pod);
  decision.node = cluster_.nodes().name(trial.node);
  decision.explanation = std::move(trial.explanation);
  BindingCycle::Placement placement{std::move(member.entry), std::move(member.pod),
                                    trial.results->share_compiled(), std::move(trial.attempt),
                                    trial.node};
  placement.evaluated = trial.evaluated;
  placement.feasible = trial.feasible;
  AwaitPermit(placement, permit);
  if (attempts_ != nullptr) placement.reported = ReportPlaced(placement, {});
  StartBinding(std::move(placement));
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
  // DIFFERS: kube-scheduler leaves a member that fits nowhere nominated to where it once fitted.
  const framework::Nomination none{.replace = !trial.waiting_on_preemption, .node = {}};
  if (member == nullptr) {
    Failure failure;
    failure.rejected = true;
    failure.message = trial.verdict.Message();
    failure.nomination = none;
    return failure;
  }
  if (member->needs_preemption && !trial.waiting_on_preemption) return WaitsForOthers(*member);
  if (member->failure) {
    Failure failure = *member->failure;
    if (!failure.nomination.replace) failure.nomination = none;
    return failure;
  }
  if (!trial.waiting_on_preemption) return WaitsForOthers(*member);
  Failure failure;
  failure.rejected = true;
  failure.message = trial.verdict.Message();
  failure.nomination = {.replace = true, .node = cluster_.nodes().info(member->node).name};
  return failure;
}

void Engine::State::ReturnMember(GroupMember member, const MemberTrial* trial, Failure failure) {
  if (failure.nomination.replace && !failure.nomination.node.valid()) {
    // What it was nominated to is cleared, even if the API has not shown or received it yet.
    const Symbol nominated = cluster_.nominations().NodeOf(member.pod->id);
    const std::string* written = status_.NominationOf(member.pod->uid());
    if (nominated.valid()) {
      failure.announced = cluster_.symbols().Text(nominated);
    } else if (written != nullptr) {
      failure.announced = *written;
    }
  }
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
  ReportFailed(member.entry, *member.pod, failure, meter, &decision, nullptr);
  HandleFailure(std::move(member.entry), *member.pod, failure, meter);
  cluster_.Release(*member.pod);
  Report(decision);
}

bool Engine::State::IsBroken(const api::ObjectKey& key) const {
  const api::PodGroup* group = cluster_.objects<api::PodGroup>().Find(key);
  if (!cluster_.features().has_gangs() || group == nullptr || !group->min_count) return false;
  const size_t scheduled = cluster_.groups().Of(key).scheduled.size();
  return static_cast<int64_t>(scheduled) < *group->min_count;
}

void Engine::State::StopBrokenGang(const model::PodRecord& failed) {
  const auto key = model::GroupNamedBy(*failed.object);
  if (!key || !IsBroken(*key)) return;
  constexpr const char* kReason = "another member of the pod group could not be bound";
  for (model::PodId id : cluster_.groups().Of(*key).scheduled) {
    const std::string& uid = cluster_.pod(id).uid();
    if (waiting_.Reject(uid, "", kReason)) continue;
    const auto binding = binding_of_.find(uid);
    if (binding != binding_of_.end()) binding->second->Cancel(kReason);
  }
}

}  // namespace berth::scheduler::engine
