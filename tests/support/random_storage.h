// Volumes, claims, classes and what else storage consists of, at random.
#pragma once

#include <vector>

#include "api/object.h"
#include "base/random.h"

namespace berth::generate {

// Classes, drivers, volumes and claims to begin with. `number` grows with the volumes.
std::vector<api::Object> RandomStorage(Random& random, uint64_t& number);

// One object of one of the kinds that live apart from nodes. `number` gives it a size of its own.
api::Object RandomStorageObject(Random& random, uint64_t number);

}  // namespace berth::generate
