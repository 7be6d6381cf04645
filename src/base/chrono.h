// Conversions between Duration and std::chrono, apart from base/time.h: <chrono> is expensive to
// include.
#pragma once

#include <chrono>

#include "base/time.h"

namespace berth {

constexpr std::chrono::nanoseconds ToChrono(Duration duration) {
  return std::chrono::nanoseconds(duration.nanos);
}

// Truncates to a whole nanosecond.
template <typename Rep, typename Period>
constexpr Duration FromChrono(std::chrono::duration<Rep, Period> duration) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count()};
}

}  // namespace berth
