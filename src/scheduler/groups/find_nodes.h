// NodeFinder finds nodes for the members of a group: greedily, one member after the other, as
// kube-scheduler does. With GangSchedulingArgs it looks before in topology domains, from the
// smallest on, and after in all placements, so that nodes are found if there are some.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/task.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/groups/group_domains.h"
#include "scheduler/groups/member_trials.h"
#include "scheduler/groups/placement_search.h"
#include "scheduler/groups/placements.h"

namespace berth::scheduler::groups {

class NodeFinder {
 public:
  // All must outlive this.
  NodeFinder(const GroupServices& services, MemberTrials& members, Placements& placements)
      : services_(services),
        members_(members),
        placements_(placements),
        search_(services, members) {}

  // The members remain assumed upon success, and only then.
  Task<GroupTrial> Find(GroupCycle& cycle, bool post_filters);

 private:
  // One member after the other, as kube-scheduler does.
  Task<GroupTrial> TryGreedily(GroupCycle& cycle, bool post_filters);
  // Searches the placements of the group, one after the other, until one suits. Returns nothing if
  // none does; `outcome` then tells whether that is certain.
  Task<std::optional<GroupTrial>> SearchPlacements(GroupCycle& cycle, std::string& outcome);
  // Tries the domains of the topology levels, from the smallest on. Returns nothing if no domain
  // holds the group.
  Task<std::optional<GroupTrial>> TryLevels(GroupCycle& cycle);
  // Tries the domains that hold at least so many members.
  Task<std::optional<GroupTrial>> TryDomains(GroupCycle& cycle, const GroupDomains& domains,
                                             size_t members);

  const GroupServices& services_;
  MemberTrials& members_;
  Placements& placements_;
  PlacementSearch search_;
};

}  // namespace berth::scheduler::groups
