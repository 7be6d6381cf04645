// SteadyClock measures intervals: it never goes back, and changes of the wall clock do not move it.
// SystemClock, which does move, is for times that others read.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace berth {

// Starts at the time of the wall clock when the process first reads it; all SteadyClocks agree.
class SteadyClock final : public Clock {
 public:
  Instant Now() const override;
};

// Returns the nanoseconds since some instant in the past: for measurements.
int64_t SteadyNanos();

}  // namespace berth
