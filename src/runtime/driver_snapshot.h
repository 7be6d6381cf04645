// LatencyHistogram counts durations in fixed buckets, each about nine per cent wider than the one
// before it: from a microsecond to half an hour in two kilobytes, whatever is added.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace berth::runtime {

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

// DriverSnapshot is what an EngineDriver has done so far, for other threads to read.
struct DriverSnapshot {
  // Scheduling cycles, by how they ended.
  uint64_t placed = 0;
  uint64_t unschedulable = 0;
  uint64_t failed = 0;
  uint64_t decisions() const { return placed + unschedulable + failed; }

  uint64_t binds = 0;          // That the API took.
  uint64_t refused_binds = 0;  // That it did not.
  uint64_t evictions = 0;

  size_t events_waiting = 0;  // Told to users a little later.
  uint64_t lists = 0;         // How often collections had to be listed, the first time included.
  bool idle = false;          // There was nothing left to do.

  LatencyHistogram decision_time;     // Of one scheduling cycle, in real time.
  LatencyHistogram created_to_bound;  // Of pods that were created while the driver ran; likewise.
};

}  // namespace berth::runtime
