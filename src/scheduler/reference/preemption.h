// Preempt is the DefaultPreemption plugin of the reference implementation: it finds the nodes where
// the pod fits after the eviction of pods with lower priority.
#pragma once

#include <map>
#include <string>

#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/filter_and_score.h"

namespace berth::scheduler::reference {

struct PreemptionOutcome {
  framework::Verdict verdict;  // Success, or why preemption does not help.
  Preemption preemption;
};

// Returns after how many candidates a scheduler may stop searching `potential` nodes, if one of
// them violates no disruption budget.
size_t WantedCandidates(const framework::DefaultPreemptionArgs& args, size_t potential);

// Dry-runs every node, without sampling. `verdicts` are those of the filtered nodes; on others
// preemption does not help.
PreemptionOutcome Preempt(const EvaluationInput& input, const Filtering& filtering,
                          const std::map<std::string, framework::Verdict>& verdicts);

}  // namespace berth::scheduler::reference
