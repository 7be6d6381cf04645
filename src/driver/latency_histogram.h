// LatencyHistogram counts durations in fixed buckets, each about nine per cent wider than the one
// before it: from a microsecond to half an hour in two kilobytes, whatever is added.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace berth::driver {

class LatencyHistogram {
 public:
  // Negative durations count as none.
  void Add(Duration duration);
  uint64_t count() const { return count_; }
  // The duration that `percent` of a hundred do not exceed, rounded up to its bucket's end; nothing
  // if none was added. What is beyond the last bucket counts as its end.
  Duration Percentile(double percent) const;

 private:
  static constexpr size_t kPerDoubling = 8;
  static constexpr size_t kDoublings = 31;
  static constexpr size_t kBuckets = kPerDoubling * kDoublings;

  std::array<uint64_t, kBuckets> counts_ = {};
  uint64_t count_ = 0;
};

}  // namespace berth::driver
