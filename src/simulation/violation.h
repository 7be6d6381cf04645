// Violation is an invariant that does not hold in a simulated world.
#pragma once

#include <string>

namespace berth::simulation {

struct Violation {
  std::string invariant;
  std::string what;
};

}  // namespace berth::simulation
