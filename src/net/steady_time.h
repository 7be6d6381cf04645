// Instants of a clock that only goes forward.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/time.h"

namespace berth::net {

using SteadyTime = std::chrono::steady_clock::time_point;

inline SteadyTime SteadyNow() { return std::chrono::steady_clock::now(); }

inline std::chrono::nanoseconds ToChrono(Duration duration) {
  return std::chrono::nanoseconds(duration.nanos);
}

// Durations as messages have them.
// "5s", "1.5s", "20ms".
inline std::string ToText(Duration duration) {
  if (duration < Duration::Seconds(1)) {
    return fmt::format("{}ms", static_cast<double>(duration.nanos) / 1e6);
  }
  return fmt::format("{}s", static_cast<double>(duration.nanos) / 1e9);
}

}  // namespace berth::net
