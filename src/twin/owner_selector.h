// OwnerSelector gives the selector that a pod's services and its controller have in common: the
// pods that count as its replicas when it has no spread constraints of its own.
#pragma once

#include "api/selector.h"
#include "twin/world.h"

namespace berth::twin {

// Everything if nothing selects the pod.
api::Selector OwnerSelector(const World& world, const api::Pod& pod);

}  // namespace berth::twin
