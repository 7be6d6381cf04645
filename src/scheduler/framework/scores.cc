#include "scheduler/framework/scores.h"

#include <algorithm>

#include "scheduler/framework/kernels.h"

namespace berth::scheduler::framework {

void DefaultNormalize(const model::NodeMask& feasible, bool reverse, std::span<int64_t> scores) {
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

int64_t BrokenLinear(std::span<const ShapePoint> shape, int64_t x) {
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

namespace {

template <typename Total>
model::NodeRow SelectAmong(const model::NodeMask& feasible, std::span<const Total> totals,
                           std::span<const uint32_t> rank, uint32_t start) {
  model::NodeRow best;
  feasible.ForEach([&](size_t row) {
    if (best.valid()) {
      const Total highest = totals[best.index()];
      if (totals[row] < highest) return;
      // Ranks before `start` wrap around to the highest numbers.
      if (totals[row] == highest && rank[row] - start > rank[best.index()] - start) return;
    }
    best = model::NodeRow{static_cast<uint32_t>(row)};
  });
  return best;
}

}  // namespace

model::NodeRow SelectBest(std::span<const int32_t> totals, std::span<const uint32_t> rank,
                          uint32_t start, std::span<const model::NodeRow> order) {
  const int32_t highest = HighestOf(totals);
  if (highest < 0) return {};
  return order[FirstRankAt(totals, rank, start, highest)];
}

model::NodeRow SelectBest(const model::NodeMask& feasible, std::span<const int32_t> totals,
                          std::span<const uint32_t> rank, uint32_t start) {
  return SelectAmong(feasible, totals, rank, start);
}

model::NodeRow SelectBest(const model::NodeMask& feasible, std::span<const int64_t> totals,
                          std::span<const uint32_t> rank, uint32_t start) {
  return SelectAmong(feasible, totals, rank, start);
}

}  // namespace berth::scheduler::framework
