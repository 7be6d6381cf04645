// Instants of a clock that only goes forward.
#pragma once

#include <chrono>

#include "base/time.h"

namespace berth::net {

using SteadyTime = std::chrono::steady_clock::time_point;

inline SteadyTime SteadyNow() { return std::chrono::steady_clock::now(); }

inline std::chrono::nanoseconds ToChrono(Duration duration) {
  return std::chrono::nanoseconds(duration.nanos);
}

}  // namespace berth::net
