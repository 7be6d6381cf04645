// WorldOf gives the engine's cluster as the twin looks at it: whole objects, with what the engine
// has decided in its place.
#pragma once

#include "cluster/cluster.h"
#include "twin/world.h"

namespace berth {

// Assumed pods are on the nodes they are assumed on, and nominated ones with the nodes that the
// engine promised them, whatever their objects say. O(objects): nothing is kept from call to call.
twin::World WorldOf(const Cluster& cluster);

}  // namespace berth
