// FailedCycle is what PostFilter plugins work with: an attempt that found no node, and why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "framework/attempt.h"

namespace berth {

// What preemption considered, for whoever explains the decision.
struct PreemptionReport {
  struct Victims {
    std::vector<PodId> pods;  // Most important first.
    int64_t budget_violations = 0;
  };
  bool asked = false;  // Preemption was reached at all.
  bool eligible = false;
  std::vector<std::pair<NodeRow, Victims>> candidates;  // Nodes where it would work.
  std::vector<std::pair<NodeRow, Verdict>> rejected;    // Nodes tried in vain.
  std::vector<NodeRow> equally_good;  // Candidates that nothing tells apart from the best.
  NodeRow selected;                   // Invalid if there is none.
};

// A node where preemption would work.
struct PreemptionCandidate {
  NodeRow node;
  PreemptionReport::Victims victims;
};

// Someone outside who has a say in where to preempt.
class PreemptionAdvisor {
 public:
  virtual ~PreemptionAdvisor() = default;
  // Leaves the candidates that remain, perhaps with other victims; or says what went wrong.
  virtual Task<Verdict> Narrow(const PodRecord& preemptor,
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

}  // namespace berth
