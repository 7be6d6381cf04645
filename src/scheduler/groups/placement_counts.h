// How many members of a group fit into each of its placements, counted without placing them.
//
// That is possible if the members are alike and it depends on a node and its free resources alone
// whether one fits: then greedy placement ends with as many members as the nodes' capacities add up
// to. Trying a group in all racks of a large cluster costs far more.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/groups/group_description.h"

namespace berth::scheduler::groups {

// Returns the number for each placement; nothing if it cannot be counted. `context.nodes` are those
// of all placements.
std::optional<std::vector<size_t>> CountInPlacements(
    const GroupContext& context, const std::vector<const model::PodRecord*>& members,
    std::span<const framework::Placement> placements);

}  // namespace berth::scheduler::groups
