// DriverSnapshot is what an EngineDriver has done so far, for other threads to read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "driver/latency_histogram.h"

namespace berth::driver {

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

}  // namespace berth::driver
