// Changes to a node that may remove an obstacle, and new nodes.
#pragma once

#include <string>
#include <vector>

#include "explain/change.h"
#include "explain/obstacle.h"

namespace berth::explain {

// Of several taints or labels, the first alone is changed, as in PodChanges.
std::vector<Change> NodeChanges(const Obstacle& obstacle);

// Returns the change that moves the pod away from its node.
Change MovePod(const api::Node& node, const api::Ref<api::Pod>& pod);

// Returns the change that adds a node like `node`: with its labels, taints, capacity, drivers,
// devices and DaemonSet pods, but empty otherwise and not cordoned.
// If `topology_key` is not empty, the node is in a domain of that key of its own.
Change AddNodeLike(const scheduler::model::Cluster& cluster, const api::Node& node,
                   scheduler::model::NodeRow row, const std::string& topology_key = "");

// Returns what distinguishes the node from others for a pod that could run on a new one like it:
// capacity, labels and taints, without its name.
std::string ShapeOf(const api::Node& node);

}  // namespace berth::explain
