#include "framework/select.h"

#include "framework/row_loops.h"

namespace berth {
namespace {

template <typename Total>
NodeRow SelectAmong(const NodeMask& feasible, std::span<const Total> totals,
                    std::span<const uint32_t> rank) {
  NodeRow best;
  feasible.ForEach([&](size_t row) {
    if (best.valid()) {
      const Total held = totals[best.index()];
      if (totals[row] < held || (totals[row] == held && rank[row] > rank[best.index()])) return;
    }
    best = NodeRow{static_cast<uint32_t>(row)};
  });
  return best;
}

}  // namespace

NodeRow SelectBest(std::span<const int32_t> totals, std::span<const uint32_t> rank,
                   std::span<const NodeRow> order) {
  const int32_t highest = HighestOf(totals);
  if (highest < 0) return {};
  return order[LowestRankAt(totals, rank, highest)];
}

NodeRow SelectBest(const NodeMask& feasible, std::span<const int32_t> totals,
                   std::span<const uint32_t> rank) {
  return SelectAmong(feasible, totals, rank);
}

NodeRow SelectBest(const NodeMask& feasible, std::span<const int64_t> totals,
                   std::span<const uint32_t> rank) {
  return SelectAmong(feasible, totals, rank);
}

}  // namespace berth
