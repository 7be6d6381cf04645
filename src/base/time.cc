#include "base/time.h"

#include <chrono>

#include "base/chrono.h"
#include "base/steady_clock.h"

namespace berth {

Instant SystemClock::Now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

Instant SteadyClock::Now() const {
  const auto read = [] {
    return Instant() + FromChrono(std::chrono::steady_clock::now().time_since_epoch());
  };
  static const Duration kOffset = SystemClock().Now() - read();
  return read() + kOffset;
}

int64_t SteadyNanos() {
  return FromChrono(std::chrono::steady_clock::now().time_since_epoch()).nanos;
}

}  // namespace berth
