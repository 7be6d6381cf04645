// What PodTopologySpread notes in a cycle for its soft constraints: the pods that each feasible
// node's score counts, constraint by constraint.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/cycle.h"
#include "plugins/spread_constraints.h"

namespace berth {

struct SpreadScoreState final : CycleState {
  struct Constraint {
    const SpreadRule* rule;
    const PodCounter* counter;  // Null if nobody is counted.
    const std::vector<DomainId>* domain_of;
    std::vector<int64_t> per_domain;  // Unused for host names: there the node's own pods count.
    double weight = 0;
  };

  // `counts` are those of the cycle's pod.
  SpreadScoreState(const Cycle& cycle, const SpreadConstraints& rules,
                   const SpreadConstraints::Counts& counts, const NodeMask& feasible);
  std::unique_ptr<CycleState> Clone() const override {
    return std::make_unique<SpreadScoreState>(*this);
  }

  std::vector<Constraint> constraints;
  NodeMask ignored;  // Feasible nodes that lack a key.
};

// SpreadScorer scores nodes by their pods and those of their domains; lower is better.
//
// Most often there is one constraint on hosts and one on zones. Few different scores come up then:
// each is worked out once per zone and number of pods on the host.
class SpreadScorer {
 public:
  // `state` must outlive the scorer.
  explicit SpreadScorer(const SpreadScoreState& state);

  int64_t ScoreOf(size_t row);

 private:
  using Constraint = SpreadScoreState::Constraint;

  double SumOf(size_t row) const;

  const std::vector<Constraint>& constraints_;
  const Constraint* host_ = nullptr;
  const Constraint* wide_ = nullptr;
  std::vector<int64_t> known_;  // By domain, then by pods on the host plus one.
};

}  // namespace berth
