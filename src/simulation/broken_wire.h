// BrokenWire is the way of objects through the decoder, where some have fields that cannot be
// decoded.
//
// Only fields that no rule reads are broken: an engine that leaves them out schedules as if they
// were not, and the invariants hold as in any other world.
#pragma once

#include <optional>

#include "api/object.h"
#include "base/random.h"

namespace berth::simulation {

class BrokenWire {
 public:
  // A strict wire passes no object with a field that cannot be decoded.
  BrokenWire(Random random, bool strict) : random_(random), strict_(strict) {}

  // Returns the object as the scheduler receives it; nullopt if it does not.
  std::optional<api::Object> Pass(const api::Object& object);

 private:
  template <typename T>
  std::optional<api::Object> Decode(const api::Object& object);

  Random random_;
  const bool strict_;
};

}  // namespace berth::simulation
