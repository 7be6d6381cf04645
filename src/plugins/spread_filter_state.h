// What PodTopologySpread notes in a cycle for its hard constraints: the pods per domain, and the
// emptiest two.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/cycle.h"
#include "plugins/spread_constraints.h"

namespace berth {

// The pods per domain of one constraint, over the nodes that count.
class DomainTally {
 public:
  // Marks domains without counting nodes. Counts may fall below 0: terminating pods are not counted
  // at first, yet taken off when they go.
  static constexpr int32_t kNoDomain = INT32_MIN;
  static constexpr int64_t kMax = INT32_MAX;

  DomainTally(const Cycle& cycle, const SpreadRule& rule, const SpreadCount& count,
              const NodeMask& nodes);

  // How many pods are in `domain`; 0 if no counting node lies in it.
  int64_t In(DomainId domain) const {
    if (domain.index() >= counts_.size() || counts_[domain.index()] == kNoDomain) return 0;
    return counts_[domain.index()];
  }
  size_t domains() const { return domains_; }
  // The count of the emptiest domain, as kube-scheduler keeps it: exact at first, and after Adjust
  // exact as far as two remembered domains can tell.
  int64_t lowest() const { return least_[0].count; }

  void Adjust(DomainId domain, int32_t delta);

 private:
  struct Least {
    DomainId domain;
    int64_t count = kMax;
  };
  static void AddTo(int32_t& count, int32_t delta) {
    count = (count == kNoDomain ? 0 : count) + delta;
  }
  void Remember(DomainId domain, int64_t count);

  std::vector<int32_t> counts_;  // kNoDomain where no counting node lies.
  size_t domains_ = 0;
  Least least_[2];
};

struct SpreadFilterState final : CycleState {
  std::vector<DomainTally> tallies;  // As the hard rules.
  const SpreadConstraints::Counts* counts = nullptr;
  std::unique_ptr<CycleState> Clone() const override {
    return std::make_unique<SpreadFilterState>(*this);
  }
};

}  // namespace berth
