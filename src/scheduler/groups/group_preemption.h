// GroupPreemption selects the pods of lower priority that are evicted for a group as a whole
// (WorkloadAwarePreemption).
#pragma once

#include <vector>

#include "base/task.h"
#include "scheduler/groups/find_nodes.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/groups/member_trials.h"
#include "scheduler/groups/placements.h"

namespace berth::scheduler::groups {

class GroupPreemption {
 public:
  // All must outlive this.
  GroupPreemption(const GroupServices& services, MemberTrials& members, Placements& placements,
                  NodeFinder& nodes)
      : services_(services), members_(members), placements_(placements), nodes_(nodes) {}

  // Selects the pods to evict for the group, or tells why it cannot. Nominates the members in
  // `trial`, if their nodes were decided, too. The model is as before.
  Task<framework::PodGroupPostFilterResult> SelectVictims(GroupCycle& cycle, GroupTrial& trial);

 private:
  // Selects victims in each placement of the group, and returns those that cost the least. The
  // cycle is then confined to that placement.
  Task<framework::PodGroupPostFilterResult> SelectLeastVictims(
      GroupCycle& cycle, framework::FailedGroup& failed,
      const framework::PodGroupPostFilterPlugin& plugin);
  // Returns the nodes of the members in a cluster without the victims.
  Task<std::vector<model::NodeRow>> NodesWithout(const std::vector<model::PodId>& victims,
                                                 GroupCycle& cycle);
  // Success if the group would be placed now, without preemption.
  Task<framework::Verdict> Fits(GroupCycle& cycle);

  const GroupServices& services_;
  MemberTrials& members_;
  Placements& placements_;
  NodeFinder& nodes_;
};

}  // namespace berth::scheduler::groups
