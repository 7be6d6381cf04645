// PlacementSearch searches a placement of a group completely: it finds nodes for the members if
// there are some, by SearchCompletely on the model itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/task.h"
#include "scheduler/groups/group_cycle.h"
#include "scheduler/groups/member_trials.h"

namespace berth::scheduler::groups {

// What searches of several placements came to.
struct SearchReport {
  bool decided = true;  // That there is none.
  uint64_t steps = 0;
  size_t capacity = 0;  // Members for which one of the placements has resources, at most.

  // In words, if `needed` members must be placed.
  std::string Text(size_t needed) const;
};

class PlacementSearch {
 public:
  // Both must outlive this.
  PlacementSearch(const GroupServices& services, MemberTrials& members)
      : services_(services), members_(members) {}

  // Makes at most so many of the steps that are left; adds to `report`. Upon success the members
  // remain assumed; those that need not be placed, too, if they fit.
  Task<std::optional<GroupTrial>> Search(GroupCycle& cycle, const framework::Placement& placement,
                                         uint64_t steps, SearchReport& report);

 private:
  const GroupServices& services_;
  MemberTrials& members_;
};

}  // namespace berth::scheduler::groups
