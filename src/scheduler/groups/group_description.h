// Describes the members of a group and the nodes of a cluster as a GroupProblem: which members may
// stand for one another, which nodes are equal, what is free.
#pragma once

#include <optional>
#include <vector>

#include "base/time.h"
#include "scheduler/framework/class_results.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/profile.h"
#include "scheduler/groups/group_problem.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::groups {

struct GroupContext {
  model::Cluster& cluster;
  const framework::Profile& profile;
  framework::ClassResultsCache& results;  // Of the profile.
  const model::NodeMask& nodes;           // On which the group may be placed.
  Instant now;
};

// Returns the problem of placing `needed` of these pods, numbered in this order, by the filters of
// the profile; nothing if a filter fails. Evaluates each kind of member once.
std::optional<GroupProblem> DescribeGroup(const GroupContext& context,
                                          const std::vector<const model::PodRecord*>& members,
                                          size_t needed);

// Evaluates the filters for `pod`: the nodes on which it fits now, nothing if a filter fails.
std::optional<model::NodeMask> NodesFor(const GroupContext& context, const model::PodRecord& pod);

}  // namespace berth::scheduler::groups
