// PodTopologySpread's cycle states: the pods per domain for hard constraints, and the pods that
// scores count for soft ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/framework/conditions.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/plugins/pod_topology_spread/constraints.h"

namespace berth::scheduler::plugins {

// The pods per domain of one hard constraint, over the nodes that count, and the minimum.
class DomainTally {
 public:
  // Marks domains without counting nodes. Counts may fall below 0: terminating pods are not counted
  // at first, yet subtracted when they are removed.
  static constexpr int32_t kNoDomain = framework::DomainCount::kNotCounted;
  static constexpr int64_t kMax = INT32_MAX;

  DomainTally(const framework::Cycle& cycle, const SpreadRule& rule, const SpreadCount& count,
              const model::NodeMask& nodes);

  // The number of pods in `domain`; 0 if no counting node is in it.
  int64_t In(model::DomainId domain) const {
    if (domain.index() >= counts_.size() || counts_[domain.index()] == kNoDomain) return 0;
    return counts_[domain.index()];
  }
  size_t domains() const { return domains_; }
  // By domain; kNoDomain where no counting node is.
  std::span<const int32_t> counts() const { return counts_; }
  // The lowest count, as kube-scheduler maintains it: exact at first, and after Adjust exact as far
  // as two recorded domains allow.
  int64_t lowest() const { return least_[0].count; }

  void Adjust(model::DomainId domain, int32_t delta);

 private:
  struct Least {
    model::DomainId domain;
    int64_t count = kMax;
  };
  static void AddTo(int32_t& count, int32_t delta) {
    count = (count == kNoDomain ? 0 : count) + delta;
  }
  void CountAllNodes(const model::Topology::Key& key, const SpreadCount& count);
  void CountNodes(const model::Topology::Key& key, const SpreadCount& count,
                  const model::NodeMask& nodes);
  void FindLeast();
  void Remember(model::DomainId domain, int64_t count);

  std::vector<int32_t> counts_;  // kNoDomain where no counting node is.
  size_t domains_ = 0;
  Least least_[2];
};

struct SpreadFilterState final : framework::CycleState {
  std::vector<DomainTally> tallies;  // As the hard rules.
  const SpreadConstraints::Counts* counts = nullptr;
  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<SpreadFilterState>(*this);
  }
};

// The state for soft constraints: the pods that each feasible node's score counts, constraint by
// constraint.
struct SpreadScoreState final : framework::CycleState {
  struct Constraint {
    const SpreadRule* rule;
    const model::PodCounter* counter;  // Null if no pods are counted.
    const model::Topology::Key* key;
    std::vector<int64_t> per_domain;  // Unused for host names: there the node's own pods count.
    double weight = 0;
  };

  // `counts` are those of the cycle's pod.
  SpreadScoreState(const framework::Cycle& cycle, SpreadConstraints& rules,
                   const SpreadConstraints::Counts& counts, const model::NodeMask& feasible);
  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<SpreadScoreState>(*this);
  }

  // Returns the node's score for its own pods and those of its domains; lower is better.
  int64_t ScoreOf(size_t row) const;
  // Writes the scores of all rows to `out` and returns true; returns false if that takes more than
  // a table of scores by domain and number of pods on the host. The scores of rows without a node
  // are unspecified.
  bool ScoreAll(const framework::Cycle& cycle, std::span<int32_t> out) const;

  std::vector<Constraint> constraints;
  model::NodeMask ignored;  // Feasible nodes that lack a key.
};

}  // namespace berth::scheduler::plugins
