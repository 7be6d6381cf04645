// FailedCycle is what PostFilter plugins work with: an attempt that found no node, and why.
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

class Attempt;

// What preemption considered, for whoever explains the decision.
struct PreemptionReport {
  struct Victims {
    std::vector<model::PodId> pods;  // Most important first.
    int64_t budget_violations = 0;
    std::vector<model::PodId> over_budget =
        {};  // Those of the pods whose eviction breaks a budget.
  };
  bool asked = false;  // Preemption was reached at all.
  bool eligible = false;
  std::vector<std::pair<model::NodeRow, Victims>> candidates;  // Nodes where it would work.
  std::vector<std::pair<model::NodeRow, Verdict>> rejected;    // Nodes tried in vain.
  std::vector<model::NodeRow> equally_good;  // Candidates that nothing tells apart from the best.
  model::NodeRow selected;                   // Invalid if there is none.
};

// A node where preemption would work.
struct PreemptionCandidate {
  model::NodeRow node;
  PreemptionReport::Victims victims;
};

// Someone outside who has a say in where to preempt.
class PreemptionAdvisor {
 public:
  virtual ~PreemptionAdvisor() = default;
  // Leaves the candidates that remain, perhaps with other victims; or says what went wrong.
  virtual Task<Verdict> ProcessPreemption(const model::PodRecord& preemptor,
                                          std::vector<PreemptionCandidate>& candidates) = 0;
};

struct FailedCycle {
  Attempt& attempt;
  const Diagnosis& diagnosis;
  Instant now;
  Random& random;
  // Filled in by preemption if not null; it then looks at every node, not just at as many as it
  // needs.
  PreemptionReport* report = nullptr;
  PreemptionAdvisor* advisor = nullptr;  // Asked before a candidate is chosen, if not null.
};

// The order in which preemption prefers one node's victims to another's: by kube-scheduler's five
// criteria, each of which counts only if those before it are equal.
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
Instant StartOf(const model::PodRecord& pod, Instant now);
// When the first of the most important victims started; there must be one.
Instant EarliestStart(const model::Cluster& cluster, const PreemptionReport::Victims& victims,
                      Instant now);

// What the criteria say of one node's victims; the lower, the better.
class VictimRating {
 public:
  // There must be a victim.
  VictimRating(const model::Cluster& cluster, const PreemptionReport::Victims& victims,
               Instant now);

  // The same, if the victims, none of which has a start time, count as starting now.
  VictimRating StartingAt(Instant now) const;

  // The first criterion that tells the two apart.
  VictimCriterion DifferenceTo(const VictimRating& other) const;

  friend auto operator<=>(const VictimRating&, const VictimRating&) = default;

 private:
  std::array<int64_t, 5> by_criterion_{};  // As VictimCriterion.
};

}  // namespace berth::scheduler::framework
