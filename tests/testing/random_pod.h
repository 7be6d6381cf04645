// Pods at random, with all that a scheduling rule looks at.
#pragma once

#include "api/pod.h"
#include "base/random.h"

namespace berth::generate {

// A pod that is neither placed nor nominated. `number` makes it unlike any other: it is in its name
// and decides its start time.
api::Pod RandomPod(Random& random, uint64_t number);

// Makes the pod one that is on a node: running, or on its way out, perhaps resized.
void Place(Random& random, uint64_t number, const std::string& node, api::Pod& pod);

}  // namespace berth::generate
