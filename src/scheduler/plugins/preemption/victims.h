// Which pods must be evicted from a node so that another fits, and which node's victims are the
// least important.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/post_filter.h"

namespace berth::scheduler::plugins {

// Finds the victims on `node`: returns Success and fills `out`, or returns why preemption does not
// help there. The cluster and the attempt are unchanged afterwards.
framework::Verdict SelectVictimsOnNode(framework::Attempt& attempt, model::NodeRow node,
                                       Instant now, framework::Victims& out);

// Returns the indices of the lowest ratings, in order. There must be one.
std::vector<size_t> IndicesOfMinimum(std::span<const framework::VictimRating> ratings);
// Returns the indices of the best candidates by kube-scheduler's criteria, likewise.
std::vector<size_t> BestCandidates(const model::Cluster& cluster,
                                   std::span<const framework::PreemptionCandidate> candidates,
                                   Instant now);

}  // namespace berth::scheduler::plugins
