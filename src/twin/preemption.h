// Preemption looks for a node where the pod would fit if less important pods went.
#pragma once

#include <map>
#include <string>

#include "twin/answer.h"
#include "twin/filtering.h"

namespace berth::twin {

struct PreemptionOutcome {
  Verdict verdict;  // Success, or why nothing can be done.
  Preemption preemption;
};

// How many candidates a scheduler may be content with among `potential` nodes, if one of them
// respects all disruption budgets.
size_t WantedCandidates(const DefaultPreemptionArgs& args, size_t potential);

// `verdicts` are those of the nodes that no filter let pass; other nodes count as beyond help.
// Every node is tried, as if all could be candidates.
PreemptionOutcome Preempt(const Question& question, const Filtering& filtering,
                          const std::map<std::string, Verdict>& verdicts);

}  // namespace berth::twin
