// Instants of a monotonic clock.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/time.h"

namespace berth::net {

using SteadyTime = std::chrono::steady_clock::time_point;

inline SteadyTime SteadyNow() { return std::chrono::steady_clock::now(); }

// Formats a duration for messages: "5s", "1.5s", "20ms".
inline std::string ToText(Duration duration) {
  if (duration < Duration::Seconds(1)) {
    return fmt::format("{}ms", duration.millis());
  }
  return fmt::format("{}s", duration.seconds());
}

}  // namespace berth::net
