// Victims: which pods would have to leave a node so that another fits, and which node's victims
// matter least.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/attempt.h"
#include "framework/failed_cycle.h"
#include "framework/victim_order.h"

namespace berth {

// Finds the victims on `node`: the verdict is Success and `out` is filled, or it says why
// preemption does not work there. The cluster and the attempt are as before afterwards.
Verdict SelectVictims(Attempt& attempt, NodeRow node, Instant now, PreemptionReport::Victims& out);

// The ratings that are as low as any, as indices, in order. There must be one.
std::vector<size_t> LowestRated(std::span<const VictimRating> ratings);
// The candidates that are as good as any by kube-scheduler's criteria, likewise.
std::vector<size_t> BestCandidates(const Cluster& cluster,
                                   std::span<const PreemptionCandidate> candidates, Instant now);

}  // namespace berth
