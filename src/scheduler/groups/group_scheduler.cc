#include "scheduler/groups/group_scheduler.h"

#include <algorithm>
#include <utility>

#include "api/object.h"
#include "base/check.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::groups {

Task<bool> GroupScheduler::Run(GroupCycle& cycle) {
  if (services_.paranoid) cycle.before = DescribeCounts(services_.cluster);
  Task<GroupTrial> search = nodes_.Find(cycle, /*post_filters=*/true);
  GroupTrial trial = co_await search;
  const bool evicts = std::ranges::any_of(
      trial.members, [](const PodTrial& member) { return !member.victims.empty(); });
  if (!trial.verdict.ok() && !evicts) CheckUnchanged(cycle);
  cycle.meter.Begin();
  if (measurements_ != nullptr) measurements_->GroupAlgorithmEnded(cycle.meter.so_far());
  if (services_.cluster.features().workload_aware_preemption && trial.verdict.rejected()) {
    Task<framework::Verdict> preemption = Preempt(cycle, trial);
    framework::Verdict preempted = co_await preemption;
    if (preempted.ok()) {
      trial.waiting_on_preemption = true;
    } else if (!preempted.rejected()) {
      trial.verdict = std::move(preempted);
    } else {
      AddReason(preempted.Message(), trial.verdict);
    }
  }
  Submit(cycle, std::move(trial));
  co_return true;
}

void GroupScheduler::CheckUnchanged(const GroupCycle& cycle) const {
  if (services_.paranoid) CHECK(cycle.before == DescribeCounts(services_.cluster));
}

Task<framework::Verdict> GroupScheduler::Preempt(GroupCycle& cycle, GroupTrial& trial) {
  Task<framework::PodGroupPostFilterResult> selection = preemption_.SelectVictims(cycle, trial);
  framework::PodGroupPostFilterResult selected = co_await selection;
  CheckUnchanged(cycle);
  if (!selected.verdict.ok()) co_return std::move(selected.verdict);
  const api::PodGroup& group = *services_.cluster.objects<api::PodGroup>().Find(cycle.group);
  outcomes_.Evict(group, cycle.pods(), selected.victims);
  co_return std::move(selected.verdict);
}

}  // namespace berth::scheduler::groups
