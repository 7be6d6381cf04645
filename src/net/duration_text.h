// Durations as messages have them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/time.h"

namespace berth::net {

// "5s", "1.5s", "20ms".
inline std::string ToText(Duration duration) {
  if (duration < Duration::Seconds(1)) {
    return fmt::format("{}ms", static_cast<double>(duration.nanos) / 1e6);
  }
  return fmt::format("{}s", static_cast<double>(duration.nanos) / 1e9);
}

}  // namespace berth::net
