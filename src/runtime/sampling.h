// Sampling says whether a choice among fewer nodes explains a decision: kube-scheduler filters only
// until it has found enough feasible nodes, and scores those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "scheduler/engine/decision.h"

namespace berth::runtime {

// percentageOfNodesToScore by scheduler name; 0, the default, depends on the number of nodes.
using SampledPercentages = std::map<std::string, int32_t>;

// Returns how many feasible nodes kube-scheduler scores, of `nodes` that it may look at (upstream:
// numFeasibleNodesToFind).
size_t SampleSize(size_t nodes, int32_t percentage);

// Reports whether a scheduler that scores a sample can have chosen `node`, which is not the best of
// all: there are more feasible nodes than a sample has, and enough of them are not better.
bool IsBestOfSomeSample(const scheduler::engine::Explanation& explanation, const std::string& node,
                        int32_t percentage);

}  // namespace berth::runtime
