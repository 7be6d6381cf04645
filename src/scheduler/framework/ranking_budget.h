// RankingBudget limits how many nodes are evaluated only so that the next best are known: a search
// finds the best one without them.
//
// A share of the time that passes: whoever schedules a few pods a second knows the next best of
// each, and under load the share is all that it costs.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/time.h"

namespace berth::scheduler::framework {

class RankingBudget {
 public:
  // What evaluating a node costs, about.
  static constexpr Duration kPerNode{60};
  // No attempt takes that much longer. So more nodes than 16,666 are never evaluated for this.
  static constexpr Duration kMost = Duration::Millis(1);

  // `now` is by the steady clock.
  void Advance(Instant now) {
    budget_ = std::min(kMost, budget_ + (now - last_) / kPercent);
    last_ = now;
  }
  // Reports whether so many may be evaluated, which are then counted.
  bool Take(size_t nodes) {
    const Duration cost = kPerNode * nodes;
    if (cost > budget_) return false;
    budget_ -= cost;
    return true;
  }

 private:
  static constexpr int kPercent = 100;

  Duration budget_ = kMost;
  Instant last_;
};

}  // namespace berth::scheduler::framework
