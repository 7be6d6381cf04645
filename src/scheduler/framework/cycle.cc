#include "scheduler/framework/cycle.h"

namespace berth::scheduler::framework {

CycleStates Cycle::CloneStates() const {
  CycleStates copies(states_.size());
  for (size_t slot = 0; slot < states_.size(); ++slot) {
    if (states_[slot] != nullptr) copies[slot] = states_[slot]->Clone();
  }
  return copies;
}

Verdict NodeFilter::Filter(const Cycle& cycle, model::NodeMask& nodes) const {
  Verdict error;
  nodes.KeepIf([&](size_t row) {
    Verdict verdict = FilterNode(cycle, model::NodeRow{static_cast<uint32_t>(row)});
    if (verdict.ok()) return true;
    if (!verdict.rejected() && error.ok()) error = std::move(verdict);
    return false;
  });
  return error;
}

Verdict NodeScorer::Score(const Cycle& cycle, const model::NodeMask& nodes,
                          std::span<int64_t> out) const {
  nodes.ForEach(
      [&](size_t row) { out[row] = ScoreNode(cycle, model::NodeRow{static_cast<uint32_t>(row)}); });
  return {};
}

}  // namespace berth::scheduler::framework
