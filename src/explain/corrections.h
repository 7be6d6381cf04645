// Changes that correct a name that was probably misspelt: a label of the nodeSelector, a resource.
// Others are beside the changes of their kinds.
#pragma once

#include <vector>

#include "explain/change.h"
#include "explain/obstacle.h"

namespace berth::explain {

// Returns the corrections after which the obstacle may be gone: to names that the node has.
std::vector<Change> Corrections(const Obstacle& obstacle);

}  // namespace berth::explain
