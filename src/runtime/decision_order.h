// DecisionOrder is what can be known about the order of another scheduler's decisions: which of
// those about other pods were made before a given one.
//
// That scheduler decides about one pod at a time, in the order of its queue: by priority, and among
// equals by the time of entry. It counts a pod on its node at once, but binds concurrently, so that
// its decisions are seen later and in another order. For a pod at its first attempt:
//
//   - Pods of higher priority, and earlier ones of the same priority, were tried before it, if they
//     were at their first attempt, too.
//   - Pods that entered the queue later, and are not of higher priority, were tried after it.
//   - Of the rest it is unknown: pods of the same priority that waited when that scheduler started,
//     pods of lower priority that entered earlier, and pods that had failed before, which wait for
//     something to change. About a pod that had failed before itself, nothing is known at all.
//
// Where it is unknown there is an estimate: a decision was made shortly before it was seen, and
// before any that was surely made later was seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/shadow_timeline.h"

namespace berth::runtime {

// A decision about another pod, compared with the given one.
struct OtherDecision {
  enum class Made : uint8_t { kBefore, kAfter, kUnknown };

  const ObservedDecision* decision = nullptr;
  bool visible = false;  // Seen before the given one.
  Made made = Made::kUnknown;
  size_t turn = 0;  // An estimate of its place in the order in which all were made.
};

class DecisionOrder {
 public:
  // Orders the decisions around the first held event, which is one. `timeline` must outlive this
  // and not change meanwhile. `most_reordered` limits `reach`. Looks at each event once.
  DecisionOrder(const ShadowTimeline& timeline, size_t most_reordered);

  // The decisions that may have been made before and that change the cluster, as they were seen.
  const std::vector<OtherDecision>& others() const { return others_; }
  // Those of kUnknown, in the estimated order.
  const std::vector<const OtherDecision*>& unknown() const { return unknown_; }
  // How many of them were likely made before.
  size_t likely() const { return likely_; }
  // By how many that may be wrong.
  size_t reach() const { return reach_; }

 private:
  void EstimateTurns(std::vector<OtherDecision>& seen, size_t most_reordered);
  OtherDecision::Made Classify(const ObservedDecision& other) const;

  const ObservedDecision& decision_;
  std::vector<OtherDecision> others_;
  std::vector<const OtherDecision*> unknown_;
  size_t own_ = 0;  // How many decisions were seen before the given one.
  size_t likely_ = 0;
  size_t reach_ = 0;
};

}  // namespace berth::runtime
