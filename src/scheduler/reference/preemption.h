// Preemption looks for a node where the pod would fit if less important pods went.
#pragma once

#include <map>
#include <string>

#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/filter_and_score.h"

namespace berth::scheduler::reference {

struct PreemptionOutcome {
  framework::Verdict verdict;  // Success, or why nothing can be done.
  Preemption preemption;
};

// How many candidates a scheduler may be content with among `potential` nodes, if one of them
// respects all disruption budgets.
size_t WantedCandidates(const framework::DefaultPreemptionArgs& args, size_t potential);

// `verdicts` are those of the nodes that no filter let pass; other nodes count as beyond help.
// Every node is tried, as if all could be candidates.
PreemptionOutcome Preempt(const EvaluationInput& input, const Filtering& filtering,
                          const std::map<std::string, framework::Verdict>& verdicts);

}  // namespace berth::scheduler::reference
