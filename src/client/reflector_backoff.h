// ReflectorBackoff says how long to wait before the server is asked again: 0.8 s, doubling up to
// 30 s, each stretched at random by up to its double. After two minutes without need of it, it
// begins anew.
#pragma once

#include <algorithm>
#include <optional>

#include "base/random.h"
#include "base/time.h"

namespace berth::client {

class ReflectorBackoff {
 public:
  Duration Next(Random& random, Instant now) {
    if (last_ && now - *last_ > kReset) base_ = kFirst;
    last_ = now;
    const Duration base = base_;
    base_ = {std::min(base.nanos * 2, kLongest.nanos)};
    return {base.nanos + static_cast<int64_t>(random.Below(static_cast<uint64_t>(base.nanos)))};
  }

 private:
  static constexpr Duration kFirst = Duration::Millis(800);
  static constexpr Duration kLongest = Duration::Seconds(30);
  static constexpr Duration kReset = Duration::Seconds(120);

  Duration base_ = kFirst;
  std::optional<Instant> last_;
};

}  // namespace berth::client
