// Changes to claims, volumes, storage classes and devices that may remove an obstacle.
#pragma once

#include <string_view>
#include <vector>

#include "explain/change.h"
#include "explain/obstacle.h"

namespace berth::explain {

// Returns changes for claims that keep the pod off the node, or, if `node` is null, off all of
// them.
std::vector<Change> VolumeChanges(const scheduler::model::Cluster& cluster, const api::Pod& pod,
                                  const api::Node* node);

// Returns, for each driver, the change that gives the node devices like some that exist.
std::vector<Change> DeviceChanges(const Obstacle& obstacle);

}  // namespace berth::explain
