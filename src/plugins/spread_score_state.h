// What PodTopologySpread notes in a cycle for its soft constraints: the pods that each feasible
// node's score counts, constraint by constraint.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "framework/cycle.h"
#include "plugins/spread_constraints.h"

namespace berth {

struct SpreadScoreState final : CycleState {
  struct Constraint {
    const SpreadRule* rule;
    const PodCounter* counter;  // Null if nobody is counted.
    const Topology::Key* key;
    std::vector<int64_t> per_domain;  // Unused for host names: there the node's own pods count.
    double weight = 0;
  };

  // `counts` are those of the cycle's pod.
  SpreadScoreState(const Cycle& cycle, const SpreadConstraints& rules,
                   const SpreadConstraints::Counts& counts, const NodeMask& feasible);
  std::unique_ptr<CycleState> Clone() const override {
    return std::make_unique<SpreadScoreState>(*this);
  }

  // What the node gets for its own pods and those of its domains; lower is better.
  int64_t ScoreOf(size_t row) const;
  // Writes the scores of all rows to `out` and returns true; false if that takes more than a table
  // of scores by domain and number of pods on the host. What rows without a node get is nobody's
  // business.
  bool ScoreAll(const Cycle& cycle, std::span<int32_t> out) const;

  std::vector<Constraint> constraints;
  NodeMask ignored;  // Feasible nodes that lack a key.
};

}  // namespace berth
