#include "runtime/driver_snapshot.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace berth::runtime {

// The index of a bucket is the position of the highest bit of the microseconds and the three bits
// below it.
void LatencyHistogram::Add(Duration duration) {
  const uint64_t micros = static_cast<uint64_t>(std::max<int64_t>(duration.nanos, 0)) / 1000;
  size_t bucket = micros;
  if (micros >= kPerDoubling) {
    const auto shift = static_cast<size_t>(std::bit_width(micros)) - 4;
    bucket = kPerDoubling * (shift + 1) + ((micros >> shift) - kPerDoubling);
  }
  ++counts_[std::min(bucket, kBuckets - 1)];
  ++count_;
  total_ += std::max(duration, Duration{});
}

Duration LatencyHistogram::Percentile(double percent) const {
  if (count_ == 0) return {};
  const auto wanted = static_cast<uint64_t>(std::ceil(static_cast<double>(count_) * percent / 100));
  uint64_t seen = 0;
  size_t bucket = 0;
  while (bucket + 1 < kBuckets && (seen += counts_[bucket]) < std::max<uint64_t>(wanted, 1)) {
    ++bucket;
  }
  uint64_t micros = bucket + 1;
  if (bucket >= kPerDoubling) {
    const size_t shift = bucket / kPerDoubling - 1;
    micros = (kPerDoubling + bucket % kPerDoubling + 1) << shift;
  }
  return {static_cast<int64_t>(micros) * 1000};
}

LatencyHistogram LatencyHistogram::Since(const LatencyHistogram& earlier) const {
  LatencyHistogram difference = *this;
  for (size_t i = 0; i < kBuckets; ++i) difference.counts_[i] -= earlier.counts_[i];
  difference.count_ -= earlier.count_;
  difference.total_ -= earlier.total_;
  return difference;
}

}  // namespace berth::runtime
