// DriverSnapshot is the counters and latencies of an EngineDriver, for other threads to read.
// LatencyHistogram counts durations in fixed buckets, each about nine per cent wider than the
// previous one: from a microsecond to half an hour in two kilobytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace berth::runtime {

class LatencyHistogram {
 public:
  // Adds a duration. Negative durations count as zero.
  void Add(Duration duration);
  uint64_t count() const { return count_; }
  // Returns zero if the histogram is empty.
  Duration Average() const { return count_ == 0 ? Duration{} : total_ / count_; }
  // Returns the duration that `percent` per cent do not exceed, rounded up to the end of its
  // bucket; zero if the histogram is empty. Durations beyond the last bucket count as its end.
  Duration Percentile(double percent) const;
  // Returns what was added since `earlier`, a copy of this histogram.
  LatencyHistogram Since(const LatencyHistogram& earlier) const;

 private:
  static constexpr size_t kPerDoubling = 8;
  static constexpr size_t kDoublings = 31;
  static constexpr size_t kBuckets = kPerDoubling * kDoublings;

  std::array<uint64_t, kBuckets> counts_ = {};
  uint64_t count_ = 0;
  Duration total_;
};

struct DriverSnapshot {
  // Scheduling cycles, by outcome.
  uint64_t placed = 0;
  uint64_t unschedulable = 0;
  uint64_t failed = 0;
  uint64_t decisions() const { return placed + unschedulable + failed; }

  uint64_t binds = 0;          // Accepted by the API.
  uint64_t refused_binds = 0;  // Refused by the API.
  uint64_t evictions = 0;

  size_t events_waiting = 0;  // Events not written to the API yet.
  uint64_t lists = 0;         // Number of lists of collections, including the first of each.
  bool idle = false;          // The driver has nothing left to do.

  LatencyHistogram decision_time;     // Of one scheduling cycle, in real time.
  LatencyHistogram created_to_bound;  // Of pods created while the driver ran; likewise.
};

}  // namespace berth::runtime
