// How GroupScheduler previews a decision: by a cycle that is taken back.

#include <utility>

#include "scheduler/groups/group_scheduler.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::groups {
namespace {

GroupPreview::Outcome OutcomeOfTrial(const GroupTrial& trial) {
  if (trial.verdict.ok()) return GroupPreview::Outcome::kFits;
  if (!trial.verdict.rejected()) return GroupPreview::Outcome::kError;
  return trial.waiting_on_preemption ? GroupPreview::Outcome::kPreempts
                                     : GroupPreview::Outcome::kUnschedulable;
}

}  // namespace

void GroupScheduler::Preview(GroupCycle& cycle, GroupPreview& preview) {
  const Turns turns = services_.trials.turns();
  Task<bool> task = RunPreview(cycle, preview);
  task.Start();
  services_.trials.turns() = turns;
}

Task<bool> GroupScheduler::RunPreview(GroupCycle& cycle, GroupPreview& preview) {
  Task<GroupTrial> search = nodes_.Find(cycle, /*post_filters=*/false);
  GroupTrial trial = co_await search;
  if (trial.verdict.ok()) members_.TakeBack(cycle, trial);
  if (services_.cluster.features().workload_aware_preemption && trial.verdict.rejected()) {
    Task<framework::PodGroupPostFilterResult> selection = preemption_.SelectVictims(cycle, trial);
    const framework::PodGroupPostFilterResult selected = co_await selection;
    trial.waiting_on_preemption = selected.verdict.ok();
    for (model::PodId id : selected.victims)
      preview.victims.push_back(services_.cluster.pod(id).key());
  }
  preview.outcome = OutcomeOfTrial(trial);
  preview.message = trial.verdict.Message();
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    GroupPreview::Member member{cycle.members[i].pod->key()};
    const PodTrial* tried = i < trial.members.size() ? &trial.members[i] : nullptr;
    model::NodeRow node = tried == nullptr ? model::NodeRow() : tried->node;
    if (i < trial.nominations.size()) node = trial.nominations[i];
    if (node.valid()) {
      member.node = services_.cluster.nodes().name(node);
    } else {
      member.message = FailureOf(trial, tried).message;
    }
    preview.members.push_back(std::move(member));
  }
  co_return true;
}

}  // namespace berth::scheduler::groups
