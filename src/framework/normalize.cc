#include "framework/normalize.h"

#include <algorithm>

namespace berth {

void DefaultNormalize(const NodeMask& feasible, bool reverse, std::span<int64_t> scores) {
  int64_t highest = 0;
  feasible.ForEach([&](size_t row) { highest = std::max(highest, scores[row]); });
  if (highest == 0) {
    if (reverse) feasible.ForEach([&](size_t row) { scores[row] = 100; });
    return;
  }
  feasible.ForEach([&](size_t row) {
    const int64_t scaled = 100 * scores[row] / highest;
    scores[row] = reverse ? 100 - scaled : scaled;
  });
}

int64_t BrokenLinear(const std::vector<ShapePoint>& shape, int64_t x) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (x > shape[i].utilization) continue;
    if (i == 0) return shape[0].score;
    const ShapePoint& from = shape[i - 1];
    const ShapePoint& to = shape[i];
    return from.score +
           (to.score - from.score) * (x - from.utilization) / (to.utilization - from.utilization);
  }
  return shape.back().score;
}

}  // namespace berth
