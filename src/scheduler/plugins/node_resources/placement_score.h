// The utilization of a placement as a whole, for NodeResourcesFit.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::plugins {

// Returns the utilization of the placement's nodes together, in percent, once the members run
// there: the weighted average of `resources`. Pods without requests count with small defaults.
int64_t UtilizationOf(const model::Cluster& cluster,
                      const framework::PlacementAssignments& placement,
                      const std::vector<framework::ResourceWeight>& resources);

}  // namespace berth::scheduler::plugins
