// MemberTrials tries the members of a group one after the other, each on the cluster with the ones
// before it.
#pragma once

#include <cstddef>

#include "base/task.h"
#include "scheduler/groups/group_cycle.h"

namespace berth::scheduler::groups {

struct TrialOptions {
  bool post_filters = true;
  size_t at_least = 0;  // Stop when fewer members than that can have a node.
};

class MemberTrials {
 public:
  explicit MemberTrials(const GroupServices& services) : services_(services) {}

  // The members that have a node remain assumed. All nodes may be used if `placement` is null.
  Task<GroupTrial> Try(const GroupCycle& cycle, const framework::Placement* placement,
                       TrialOptions options);
  // Places the members that have no node in `trial`, if they fit.
  Task<GroupTrial> TryOthers(const GroupCycle& cycle, const framework::Placement& placement,
                             GroupTrial trial);
  // Reverts the trials of all members that are assumed.
  void TakeBack(const GroupCycle& cycle, GroupTrial& trial);

 private:
  // `failures` are those of members that were tried in the same way before.
  Task<PodTrial> TryMember(const GroupCycle& cycle, size_t index,
                           const framework::Placement* placement, bool post_filters,
                           queue::FailureCache& failures);

  const GroupServices& services_;
};

}  // namespace berth::scheduler::groups
