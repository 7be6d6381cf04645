// Writes versions into the JSON of objects.
#pragma once

#include <memory>

#include "store/object.h"

namespace berth::store {

// The object of `draft`, with room in its JSON for the digits of `expected`. Allocates; meant to
// be called without the store's lock.
std::shared_ptr<Object> MakeObject(Draft draft, Version expected);

// Makes `version` the object's. Writes in place if it has as many digits as the one before.
void Stamp(Object& object, Version version);

// A copy of `object` that differs in its version alone.
ObjectPtr WithVersion(const Object& object, Version version);

}  // namespace berth::store
