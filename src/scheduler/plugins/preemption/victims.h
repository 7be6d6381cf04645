// Which pods must be evicted from a node so that another fits, and which node's victims are the
// least important.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/post_filter.h"

namespace berth::scheduler::plugins {

// What SelectVictimsOnNode returns where no pod has a lower priority.
framework::Verdict NoVictims();

// Finds the victims on `node`: returns Success and fills `out`, or returns why preemption does not
// help there. The cluster and the attempt are unchanged afterwards.
framework::Verdict SelectVictimsOnNode(framework::Attempt& attempt, model::NodeRow node,
                                       Instant now, framework::Victims& out);

// Pods of one node in the order in which preemption tries to reprieve them: first those whose
// eviction would exceed a disruption budget; each part has the most important ones first.
struct VictimsByBudget {
  std::vector<model::PodId> over_budget, others;
};
VictimsByBudget InOrderOfReprieve(const model::Cluster& cluster, std::vector<model::PodId> pods,
                                  Instant now);

// The pods on `node` with a lower priority.
std::vector<model::PodId> LessImportantPods(const model::Cluster& cluster, model::NodeRow node,
                                            int32_t priority);
// Reports whether the order of the node's pods by age is final: all that have started did so before
// now, and those that have not come last, now and later.
bool IsStartOrderFinal(const model::Cluster& cluster, model::NodeRow node, Instant now);

// Returns the indices of the lowest ratings, in order. There must be one.
std::vector<size_t> IndicesOfMinimum(std::span<const framework::VictimRating> ratings);
// Returns the indices of the best candidates by kube-scheduler's criteria, likewise.
std::vector<size_t> BestCandidates(const model::Cluster& cluster,
                                   std::span<const framework::PreemptionCandidate> candidates,
                                   Instant now);

}  // namespace berth::scheduler::plugins
