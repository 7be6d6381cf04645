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

// `verdicts` are those of the nodes that no filter let pass; other nodes count as beyond help.
// Every node is tried, as if all could be candidates.
PreemptionOutcome Preempt(const Question& question, const Filtering& filtering,
                          const std::map<std::string, Verdict>& verdicts);

}  // namespace berth::twin
