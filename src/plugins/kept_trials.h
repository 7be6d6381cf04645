// KeptTrials remembers, for one pod class, what preemption would come to on each node, so that the
// next pod of the class need not try out the nodes that did not change.
//
// What it holds is a function of the class, the node's row and the disruption budgets. Whoever
// keeps a result sees to it that nothing else had a part in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "framework/cycle.h"
#include "framework/failed_cycle.h"
#include "framework/victim_order.h"

namespace berth {

// What taking pods off one node would come to.
struct TrialResult {
  Verdict verdict;                     // Success, or why it does not work.
  PreemptionReport::Victims victims;   // Upon success.
  std::optional<VictimRating> rating;  // Upon success.
  bool undated = false;  // None of the most important victims has a start time: they start now.

  VictimRating RatingAt(Instant now) const { return undated ? rating->StartingAt(now) : *rating; }
};

class KeptTrials final : public ClassState {
 public:
  // Forgets what is no longer true of `cluster`.
  void Refresh(const Cluster& cluster) const;

  // Null if nothing is known of the node. Stays valid until Refresh.
  const TrialResult* Find(NodeRow node) const {
    return node.index() < results_.size() ? results_[node.index()].get() : nullptr;
  }
  const TrialResult& Keep(NodeRow node, TrialResult result) const;

 private:
  // Mutable, because others see the same answers with and without what is kept.
  mutable std::vector<std::unique_ptr<const TrialResult>> results_;  // By row.
  mutable uint64_t position_ = 0;                                    // In the rows' changes.
  mutable uint64_t budgets_ = 0;                                     // Their version.
};

}  // namespace berth
