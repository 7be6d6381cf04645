// Victims: which pods would have to leave a node so that another fits, and which node's victims
// matter least.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/post_filter.h"

namespace berth::scheduler::plugins {

// Finds the victims on `node`: the verdict is Success and `out` is filled, or it says why
// preemption does not work there. The cluster and the attempt are as before afterwards.
framework::Verdict SelectVictimsOnNode(framework::Attempt& attempt, model::NodeRow node,
                                       Instant now, framework::Victims& out);

// The ratings that are as low as any, as indices, in order. There must be one.
std::vector<size_t> IndicesOfMinimum(std::span<const framework::VictimRating> ratings);
// The candidates that are as good as any by kube-scheduler's criteria, likewise.
std::vector<size_t> BestCandidates(const model::Cluster& cluster,
                                   std::span<const framework::PreemptionCandidate> candidates,
                                   Instant now);

}  // namespace berth::scheduler::plugins
