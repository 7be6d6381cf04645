// How GroupScheduler acts on the outcome of a cycle: the members that have a node are bound, or all
// return to the queue, and the group's condition is written.

#include <utility>

#include "api/object.h"
#include "scheduler/groups/group_scheduler.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::groups {
namespace {

framework::GroupAttemptResult ResultOf(const GroupTrial& trial) {
  if (trial.verdict.ok()) return framework::GroupAttemptResult::kScheduled;
  if (!trial.verdict.rejected()) return framework::GroupAttemptResult::kError;
  return trial.waiting_on_preemption ? framework::GroupAttemptResult::kWaitingOnPreemption
                                     : framework::GroupAttemptResult::kUnschedulable;
}

// A member that has a node, in a group that as a whole has none.
queue::Failure WaitsForOthers(const PodTrial& member) {
  queue::Failure failure;
  failure.rejected = true;
  failure.message = "pod group is unschedulable";
  if (!member.permitted) {
    failure.message += ", " + member.permit.message;
    failure.message += ", one or more plugins asked to wait and no plugin rejected pod";
  }
  return failure;
}

}  // namespace

void GroupScheduler::Submit(GroupCycle& cycle, GroupTrial trial) {
  std::vector<PermitOutcome> permits;
  if (trial.verdict.ok()) permits = AskPermits(cycle, trial);
  std::vector<model::PodId> left_over;
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    GroupMember& member = cycle.members[i];
    PodTrial* tried = i < trial.members.size() ? &trial.members[i] : nullptr;
    if (trial.verdict.ok() && tried->node.valid()) {
      outcomes_.Bind(std::move(member), std::move(*tried), permits[i]);
      continue;
    }
    const bool rejected_late = i < permits.size() && permits[i].failure;
    if (!rejected_late) left_over.push_back(member.pod->id);
    queue::Failure failure = FailureOf(trial, tried);
    if (i < trial.nominations.size() && trial.nominations[i].valid()) {
      failure.nomination = {.replace = true,
                            .node = services_.cluster.nodes().info(trial.nominations[i]).name};
    }
    outcomes_.Return(std::move(member), tried, std::move(failure));
  }
  if (measurements_ != nullptr) {
    cycle.meter.Begin();
    measurements_->GroupAttemptEnded(cycle.profile, ResultOf(trial), cycle.meter.so_far());
  }
  if (services_.log.IsOn(framework::LogMessage::kError)) LogOutcome(cycle, trial, left_over.size());
  if (const auto* group = services_.cluster.objects<api::PodGroup>().Find(cycle.group))
    conditions_.Update(*group, trial.verdict);
  if (!trial.verdict.ok()) return;
  // They have a cycle of their own at once: the group is scheduled, and may preempt for them.
  for (model::PodId id : left_over) {
    if (services_.cluster.pods().Contains(id)) outcomes_.Activate(id);
  }
}

std::vector<PermitOutcome> GroupScheduler::AskPermits(const GroupCycle& cycle, GroupTrial& trial) {
  std::vector<PermitOutcome> permits(trial.members.size());
  for (size_t i = 0; i < trial.members.size(); ++i) {
    PodTrial& member = trial.members[i];
    if (!member.node.valid()) continue;
    permits[i] = services_.trials.RunPermitPlugins(cycle.profile, *member.attempt, member.node);
    if (!permits[i].failure) continue;
    services_.trials.TakeBack(*cycle.members[i].pod, member);
    std::erase(trial.assumed, i);
    member.node = {};
    member.failure = permits[i].failure;
  }
  if (!IsBroken(services_.cluster, cycle.group)) return permits;
  members_.TakeBack(cycle, trial);
  trial.verdict = {framework::Code::kUnschedulable, "pod group is unschedulable"};
  return {};
}

queue::Failure GroupScheduler::FailureOf(const GroupTrial& trial, const PodTrial* member) const {
  const bool has_error = member != nullptr && member->failure && !member->failure->rejected;
  if (!trial.verdict.ok() && !trial.verdict.rejected()) {
    if (has_error) return *member->failure;
    queue::Failure failure;
    failure.message = trial.verdict.Message();
    return failure;
  }
  // DIFFERS: kube-scheduler leaves a member that fits nowhere nominated to where it once fitted.
  const framework::Nomination none{.replace = !trial.waiting_on_preemption, .node = {}};
  if (member == nullptr) {
    queue::Failure failure;
    failure.rejected = true;
    failure.message = trial.verdict.Message();
    failure.nomination = none;
    return failure;
  }
  if (member->needs_preemption && !trial.waiting_on_preemption) return WaitsForOthers(*member);
  if (member->failure) {
    queue::Failure failure = *member->failure;
    if (!failure.nomination.replace) failure.nomination = none;
    return failure;
  }
  if (!trial.waiting_on_preemption) return WaitsForOthers(*member);
  queue::Failure failure;
  failure.rejected = true;
  failure.message = trial.verdict.Message();
  failure.nomination = {.replace = true, .node = services_.cluster.nodes().info(member->node).name};
  return failure;
}

void GroupScheduler::LogOutcome(const GroupCycle& cycle, const GroupTrial& trial,
                                size_t not_bound) const {
  const std::string group = cycle.group.ToString();
  if (trial.verdict.ok()) {
    ENGINE_LOG(services_.log, 2, "Successfully scheduled a pod group",
               {{"podGroup", group},
                {"scheduledPods", cycle.members.size() - not_bound},
                {"unschedulablePods", not_bound}});
  } else if (!trial.verdict.rejected()) {
    ENGINE_LOG_ERROR(services_.log, trial.verdict.Message(), "Error scheduling pod group",
                     {{"podGroup", group}, {"errorPods", cycle.members.size()}});
  } else {
    ENGINE_LOG(services_.log, 2,
               trial.waiting_on_preemption ? "Pod group is waiting for preemption"
                                           : "Unable to schedule a pod group",
               {{"podGroup", group}, {"unschedulablePods", cycle.members.size()}});
  }
}

}  // namespace berth::scheduler::groups
