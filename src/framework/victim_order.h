// The order in which preemption prefers one node's victims to another's: by kube-scheduler's five
// criteria, each of which counts only if those before it are equal.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "base/time.h"
#include "framework/failed_cycle.h"

namespace berth {

// In order of weight.
enum class VictimCriterion : uint8_t {
  kBudgetViolations,  // Fewer victims whose eviction breaks a disruption budget.
  kHighestPriority,   // A less important most important victim.
  kPrioritySum,       // A smaller sum of priorities, each counted from the lowest there can be.
  kVictimCount,       // Fewer victims.
  kStartTime,         // Most important victims that started later.
  kNone,              // None: they are equally good.
};

// When the pod started; one that has not counts as starting now.
Instant StartOf(const PodRecord& pod, Instant now);
// When the first of the most important victims started; there must be one.
Instant EarliestStart(const Cluster& cluster, const PreemptionReport::Victims& victims,
                      Instant now);

// What the criteria say of one node's victims; the lower, the better.
class VictimRating {
 public:
  // There must be a victim.
  VictimRating(const Cluster& cluster, const PreemptionReport::Victims& victims, Instant now);

  // The same, if the victims, none of which has a start time, count as starting now.
  VictimRating StartingAt(Instant now) const;

  // The first criterion that tells the two apart.
  VictimCriterion DifferenceTo(const VictimRating& other) const;

  friend auto operator<=>(const VictimRating&, const VictimRating&) = default;

 private:
  std::array<int64_t, 5> by_criterion_{};  // As VictimCriterion.
};

}  // namespace berth
