// How DynamicResources gives claims up: Unreserve after a failed attempt, and PostFilter for a pod
// that fits nowhere because of what its claims have.
#pragma once

#include <string>

#include "base/task.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/framework/writes.h"
#include "scheduler/plugins/dynamic_resources/claim_state.h"
#include "scheduler/plugins/dynamic_resources/deallocation.h"

namespace berth::scheduler::plugins {

// Ends what Reserve and PreBind have done: allocations are no longer in flight, and the pod's
// reservations and its special claim are removed from the API, in the background.
void UnreserveClaims(framework::Cycle& cycle, PodClaims& pod);

// The name of the background task that removes a reservation of the claim.
std::string UnreserveTaskOf(const api::ResourceClaim& claim);

// Carries out the plan for a pod that fits on no node. Returns its verdict, or Error if a write
// failed. Without `writes`, nothing is written. Both must outlive the task.
Task<framework::Verdict> Deallocate(framework::Async* writes, model::Cluster& cluster,
                                    DeallocationPlan plan);

}  // namespace berth::scheduler::plugins
