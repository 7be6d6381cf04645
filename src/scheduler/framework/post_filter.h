// FailedCycle is what PostFilter plugins work with: an attempt that found no node, and why; and the
// types of preemption that the engine shares with the plugin: candidates, victims and their order.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/log.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth {
class Random;
}
namespace berth::scheduler::model {
class Cluster;
struct PodRecord;
}  // namespace berth::scheduler::model

namespace berth::scheduler::framework {

class Async;
class Attempt;

// The pods to evict from a node.
struct Victims {
  std::vector<model::PodId> pods;  // Highest priority first.
  int64_t budget_violations = 0;
  // Those of the pods whose eviction violates a PodDisruptionBudget.
  std::vector<model::PodId> over_budget = {};
};

// A node where preemption would make the pod schedulable.
struct PreemptionCandidate {
  model::NodeRow node;
  Victims victims;
};

// What preemption considered, for explanations.
struct PreemptionReport {
  bool tried = false;  // Preemption was reached at all.
  bool eligible = false;
  std::vector<PreemptionCandidate> candidates;
  std::vector<std::pair<model::NodeRow, Verdict>> rejected;  // Nodes where it would not help.
  std::vector<model::NodeRow> equally_good;  // Candidates that no criterion ranks below the best.
  model::NodeRow selected;                   // Invalid if there is none.
};

// Selects among the candidates before preemption does: extenders.
class PreemptionAdvisor {
 public:
  virtual ~PreemptionAdvisor() = default;
  // Removes candidates, and may replace their victims. Returns an error if that failed.
  virtual Task<Verdict> ProcessPreemption(const model::PodRecord& preemptor,
                                          std::vector<PreemptionCandidate>& candidates) = 0;
};

struct FailedCycle {
  Attempt& attempt;
  const Diagnosis& diagnosis;
  Instant now;
  Random& random;
  // Filled in by preemption if not null; it then tries every node, not just as many as it needs.
  PreemptionReport* report = nullptr;
  PreemptionAdvisor* advisor = nullptr;  // Called before a candidate is selected, if not null.
  // The writes that the cycle awaits. Null for an explanation, which must not change anything: the
  // result then is that of writes that succeed.
  Async* writes = nullptr;
  bool preemption_tried = false;  // Set by preemption.
  Log log = {};                   // Silent for an explanation.
};

// The criteria by which preemption prefers one node's victims to another's, as in kube-scheduler:
// each applies only if those before it are equal.
enum class VictimCriterion : uint8_t {
  kBudgetViolations,  // Fewer victims whose eviction violates a PodDisruptionBudget.
  kHighestPriority,   // A lower highest priority.
  kPrioritySum,       // A smaller sum of priorities, each counted from the lowest possible.
  kVictimCount,       // Fewer victims.
  kStartTime,         // Victims of the highest priority that started later.
  kNone,              // None: they are equally good.
};

// The start time of the pod; `now` if it has not started.
Instant StartOf(const model::PodRecord& pod, Instant now);
// The earliest start time of the victims of the highest priority; there must be one.
Instant EarliestStart(const model::Cluster& cluster, const Victims& victims, Instant now);

// VictimRating holds the values of the criteria for one node's victims; lower is better.
class VictimRating {
 public:
  struct Values {
    int64_t budget_violations = 0;
    int32_t highest_priority = 0;
    int64_t priority_sum = 0;  // Of CountedPriority.
    size_t victims = 0;
    Instant earliest_start;  // Of those of the highest priority.
  };
  explicit VictimRating(const Values& values);
  // There must be a victim.
  VictimRating(const model::Cluster& cluster, const Victims& victims, Instant now);

  // Counted from the lowest priority, so that a victim never makes a sum smaller.
  static constexpr int64_t CountedPriority(int32_t priority) {
    return int64_t{priority} + (int64_t{1} << 31);
  }

  // The same, with `now` as the start time; for victims none of which has one.
  VictimRating StartingAt(Instant now) const;

  bool violates_budget() const { return by_criterion_[0] > 0; }
  // The first criterion by which the two differ.
  VictimCriterion DifferenceTo(const VictimRating& other) const;

  friend auto operator<=>(const VictimRating&, const VictimRating&) = default;

 private:
  std::array<int64_t, 5> by_criterion_{};  // As VictimCriterion.
};

}  // namespace berth::scheduler::framework
