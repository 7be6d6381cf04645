// Random pods with values in all fields that scheduling rules use.
#pragma once

#include "api/pod.h"
#include "base/random.h"

namespace berth::generate {

// Returns a pod without a node or nomination. `number` is in its name and determines its start
// time.
api::Pod RandomPod(Random& random, uint64_t number);

// Puts the pod on a node: running or terminating, perhaps resized.
void Place(Random& random, uint64_t number, const std::string& node, api::Pod& pod);

}  // namespace berth::generate
