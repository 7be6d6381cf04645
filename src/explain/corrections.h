// Changes that correct a name that was probably misspelt: a label of the nodeSelector, a resource.
// Others are beside the changes of their kinds.
#pragma once

#include <vector>

#include "explain/change.h"
#include "explain/obstacle.h"

namespace berth::explain {

// Returns the corrections after which the obstacle may be gone: to names that the node has.
std::vector<Change> Corrections(const Obstacle& obstacle);

// Returns the corrections of the pod's ResourceClaims: names of claims that do not exist, and of
// their DeviceClasses.
std::vector<Change> ResourceClaimCorrections(const scheduler::model::Cluster& cluster,
                                             const api::Pod& pod);

}  // namespace berth::explain
