#include "framework/select.h"

#include <algorithm>

namespace berth {
namespace {

// Both loops run over every row of every decision: simple enough for the compiler to vectorise, and
// compiled for wider registers too where the machine has them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BERTH_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define BERTH_VECTORISED
#endif

BERTH_VECTORISED
int32_t Highest(const int32_t* totals, size_t count) {
  int32_t highest = -1;
  for (size_t i = 0; i < count; ++i) highest = std::max(highest, totals[i]);
  return highest;
}

BERTH_VECTORISED
uint32_t LowestRankAt(const int32_t* totals, const uint32_t* rank, size_t count, int32_t wanted) {
  uint32_t lowest = UINT32_MAX;
  for (size_t i = 0; i < count; ++i)
    lowest = std::min(lowest, totals[i] == wanted ? rank[i] : UINT32_MAX);
  return lowest;
}

BERTH_VECTORISED
int64_t Highest(const int64_t* totals, size_t count) {
  int64_t highest = -1;
  for (size_t i = 0; i < count; ++i) highest = totals[i] > highest ? totals[i] : highest;
  return highest;
}

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
  const int32_t highest = Highest(totals.data(), totals.size());
  if (highest < 0) return {};
  return order[LowestRankAt(totals.data(), rank.data(), totals.size(), highest)];
}

NodeRow SelectBest(std::span<const int64_t> totals, std::span<const uint32_t> rank) {
  const int64_t highest = Highest(totals.data(), totals.size());
  if (highest < 0) return {};
  NodeRow best;
  for (uint32_t row = 0; row < totals.size(); ++row) {
    if (totals[row] == highest && (!best.valid() || rank[row] < rank[best.index()]))
      best = NodeRow{row};
  }
  return best;
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
