#include "framework/node_at_a_time.h"

namespace berth {

Verdict NodeFilter::Filter(const Cycle& cycle, NodeMask& nodes) const {
  Verdict error;
  nodes.KeepIf([&](size_t row) {
    Verdict verdict = FilterNode(cycle, NodeRow{static_cast<uint32_t>(row)});
    if (verdict.ok()) return true;
    if (!verdict.rejected() && error.ok()) error = std::move(verdict);
    return false;
  });
  return error;
}

Verdict NodeScorer::Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const {
  nodes.ForEach(
      [&](size_t row) { out[row] = ScoreNode(cycle, NodeRow{static_cast<uint32_t>(row)}); });
  return {};
}

}  // namespace berth
