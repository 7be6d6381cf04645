#include "scheduler/groups/group_conditions.h"

#include <optional>
#include <utility>

#include "scheduler/framework/status_patches.h"
#include "scheduler/framework/status_retries.h"

namespace berth::scheduler::groups {
namespace {

constexpr std::string_view kType = "PodGroupScheduled";

// Unlike those of pods, these conditions are written again for a new generation.
std::optional<api::PodCondition> ConditionOver(const api::PodCondition* current,
                                               const api::PodCondition& wanted) {
  auto written = framework::ConditionOver(current, wanted);
  if (written || current->observed_generation == wanted.observed_generation) return written;
  written = wanted;
  written->last_transition_time = current->last_transition_time;
  return written;
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
  const api::PodCondition* shown = framework::FindCondition(group.conditions, kType);
  if (shown != nullptr && !ConditionOver(shown, latest->second.condition)) latest_.erase(latest);
}

void GroupConditions::Update(const api::PodGroup& group, const framework::Verdict& outcome) {
  // Their status has phases instead, which a controller of scheduler-plugins writes.
  if (api::IsOfCoscheduling(group)) return;
  Seen(group);
  api::PodCondition wanted = ConditionFor(outcome);
  wanted.observed_generation = group.metadata.generation;
  wanted.last_transition_time = background_.async().wall_now();

  const auto latest = latest_.find(group.metadata.uid);
  const api::PodCondition* current = latest == latest_.end()
                                         ? framework::FindCondition(group.conditions, kType)
                                         : &latest->second.condition;
  // A group that was scheduled once remains so.
  if (current != nullptr && current->status == "True" && wanted.status != "True") return;
  auto written = ConditionOver(current, wanted);
  if (!written) return;
  Latest& next = latest_[group.metadata.uid];
  next.condition = *std::move(written);
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
    const framework::WriteResult result =
        co_await framework::WriteStatus(background_.async(), patch);
    const auto latest = latest_.find(uid);
    if (latest == latest_.end()) co_return framework::Verdict();
    if (latest->second.condition != patch.condition) continue;
    latest->second.writing = false;
    if (result.ok()) co_return framework::Verdict();
    latest_.erase(latest);  // The next cycle tries again.
    co_return framework::Verdict::Error(result.message);
  }
}

}  // namespace berth::scheduler::groups
