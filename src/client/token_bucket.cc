#include "client/token_bucket.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace berth::client {

namespace {

// Longer waits would not fit a Duration, or anybody's patience.
constexpr double kMaxWaitSeconds = 1e6;

}  // namespace

TokenBucket::TokenBucket(double qps, int burst, Instant now)
    : qps_(qps), burst_(burst), tokens_(burst), last_(now) {
  CHECK(qps > 0 && burst > 0);
}

Duration TokenBucket::Take(Instant now) {
  const double elapsed = std::max(0.0, (now - last_).seconds());
  tokens_ = std::min(burst_, tokens_ + elapsed * qps_);
  last_ = std::max(last_, now);
  // Whoever waits as long as he is told to must not be sent back because of a rounding error.
  constexpr double kNearlyOne = 1 - 1e-9;
  if (tokens_ >= kNearlyOne) {
    tokens_ -= 1;
    return {};
  }
  const double wait = std::min((1 - tokens_) / qps_, kMaxWaitSeconds);
  return {std::max<int64_t>(1, static_cast<int64_t>(std::ceil(wait * 1e9)))};
}

}  // namespace berth::client
