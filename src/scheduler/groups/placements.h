// Placements tries a group in all placements in which it may be, and takes the best.
//
// A placement is a set of nodes, such as those of a rack: see framework/pod_group_plugins.h.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/groups/member_trials.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::groups {

class Placements {
 public:
  // Both must outlive this.
  Placements(const GroupServices& services, MemberTrials& members)
      : services_(services), members_(members) {}

  // Returns the placements of the group: the whole cluster if no plugin divides it.
  framework::GeneratedPlacements For(const GroupCycle& cycle);
  // Returns the trial in the best of them. The members remain assumed upon success, and only then.
  Task<GroupTrial> Try(GroupCycle& cycle, bool post_filters);

 private:
  // Returns how many members each placement of the cycle holds; empty if that takes trying them.
  std::vector<size_t> CountMembers(const GroupCycle& cycle);
  // Tries the best of the placements that hold enough; returns nothing if none does.
  Task<std::optional<GroupTrial>> TryBestByCount(GroupCycle& cycle,
                                                 const std::vector<size_t>& counts,
                                                 bool post_filters);
  // Returns the index of the best of the placements, which suit the group.
  Result<size_t> BestPlacement(
      const GroupCycle& cycle,
      const std::vector<framework::PlacementAssignments>& assignments) const;

  const GroupServices& services_;
  MemberTrials& members_;
  // The labels of the last groups with a topology constraint, so that domains stay current.
  std::map<std::string, model::Topology::KeyRef> placement_keys_;
};

}  // namespace berth::scheduler::groups
