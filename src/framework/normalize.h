// The two functions that several scores share: scaling to 0..100, and a line through given points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/ids.h"

namespace berth {

// Scales the scores so that the highest becomes 100; with `reverse`, so that the highest becomes 0
// and 0 becomes 100. Negative maxima count as 0.
void DefaultNormalize(const NodeMask& feasible, bool reverse, std::span<int64_t> scores);

struct ShapePoint {
  int64_t utilization = 0;
  int64_t score = 0;
  friend bool operator==(const ShapePoint&, const ShapePoint&) = default;
};

// The value at `x` of the line through `shape`, whose utilizations rise; flat before the first and
// after the last point. Integer arithmetic, truncating.
int64_t BrokenLinear(const std::vector<ShapePoint>& shape, int64_t x);

}  // namespace berth
