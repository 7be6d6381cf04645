#include "base/time.h"

#include <chrono>

namespace berth {

Instant SystemClock::Now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

}  // namespace berth
