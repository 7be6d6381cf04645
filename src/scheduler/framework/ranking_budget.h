// RankingBudget limits the time that is spent only so that the next best nodes are known: the best
// one is found without them.
//
// A share of the time that passes: a scheduler of a few pods a second knows the next best of
// each, and under load the share is all that it costs.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace berth::scheduler::framework {

class RankingBudget {
 public:
  // What it costs, about, to evaluate a node, to read the total of one, and to find a node in a
  // tournament and report it.
  static constexpr Duration kPerNode{60}, kPerTotal{1}, kPerRunnerUp{120};
  // No attempt takes that much longer. So more nodes than 16,666 are never evaluated for this.
  static constexpr Duration kMost = Duration::Millis(1);

  // `now` is by the steady clock.
  void Advance(Instant now) {
    budget_ = std::min(kMost, budget_ + (now - last_) / kShare);
    last_ = now;
  }
  // Reports whether something of that cost may be done, which is then counted.
  bool Take(Duration cost) {
    if (cost > budget_) return false;
    budget_ -= cost;
    return true;
  }

 private:
  // One part in so many.
  static constexpr int kShare = 400;

  Duration budget_ = kMost;
  Instant last_;
};

}  // namespace berth::scheduler::framework
