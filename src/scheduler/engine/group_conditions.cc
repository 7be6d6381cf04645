#include "scheduler/engine/group_conditions.h"

#include <algorithm>
#include <utility>

#include "scheduler/framework/status_retries.h"

namespace berth::scheduler::engine {
namespace {

constexpr std::string_view kType = "PodGroupScheduled";

bool IsSameCondition(const api::PodCondition& a, const api::PodCondition& b) {
  return a.status == b.status && a.reason == b.reason && a.message == b.message &&
         a.observed_generation == b.observed_generation;
}

const api::PodCondition* ConditionOf(const api::PodGroup& group) {
  const auto found = std::ranges::find(group.conditions, kType, &api::PodCondition::type);
  return found == group.conditions.end() ? nullptr : &*found;
}

api::PodCondition ConditionFor(const framework::Verdict& outcome) {
  api::PodCondition condition;
  condition.type = kType;
  condition.status = outcome.ok() ? "True" : "False";
  condition.reason = outcome.ok()         ? "Scheduled"
                     : outcome.rejected() ? "Unschedulable"
                                          : "SchedulerError";
  condition.message = outcome.Message();
  return condition;
}

}  // namespace

void GroupConditions::Seen(const api::PodGroup& group) {
  const auto latest = latest_.find(group.metadata.uid);
  if (latest == latest_.end() || latest->second.writing) return;
  const api::PodCondition* shown = ConditionOf(group);
  if (shown != nullptr && IsSameCondition(*shown, latest->second.condition)) latest_.erase(latest);
}

void GroupConditions::Update(const api::PodGroup& group, const framework::Verdict& outcome) {
  // Their status has phases instead, which a controller of scheduler-plugins writes.
  if (api::IsOfCoscheduling(group)) return;
  Seen(group);
  api::PodCondition wanted = ConditionFor(outcome);
  wanted.observed_generation = group.metadata.generation;
  wanted.last_transition_time = outbox_.wall_now();

  const auto latest = latest_.find(group.metadata.uid);
  const api::PodCondition* current =
      latest == latest_.end() ? ConditionOf(group) : &latest->second.condition;
  if (current != nullptr) {
    if (current->status == "True" && wanted.status != "True") return;
    if (IsSameCondition(*current, wanted)) return;
    if (current->status == wanted.status)
      wanted.last_transition_time = current->last_transition_time;
  }
  Latest& next = latest_[group.metadata.uid];
  next.condition = std::move(wanted);
  if (next.writing) return;
  next.writing = true;
  background_.Run("status of PodGroup " + group.metadata.uid,
                  Write({group.metadata.namespace_, group.metadata.name}, group.metadata.uid));
}

// Writes what is wanted last, and again if that changes meanwhile.
Task<framework::Verdict> GroupConditions::Write(api::ObjectKey group, std::string uid) {
  while (true) {
    const auto wanted = latest_.find(uid);
    if (wanted == latest_.end()) co_return framework::Verdict();  // The group is gone.
    const framework::PatchPodGroupStatus patch{group, uid, wanted->second.condition};
    const framework::WriteResult result = co_await framework::WriteStatus(outbox_, patch);
    const auto latest = latest_.find(uid);
    if (latest == latest_.end()) co_return framework::Verdict();
    if (latest->second.condition != patch.condition) continue;
    latest->second.writing = false;
    if (result.ok()) co_return framework::Verdict();
    latest_.erase(latest);  // The next cycle tries again.
    co_return framework::Verdict::Error(result.message);
  }
}

}  // namespace berth::scheduler::engine
