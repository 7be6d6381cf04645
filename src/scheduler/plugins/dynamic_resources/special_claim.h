// The special claim: what the scheduler makes for extended resources of a pod that devices provide.
#pragma once

#include <string>

#include "api/resource_claim.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/device_claims.h"

namespace berth::scheduler::plugins {

// Returns the special claim of the pod: the one that exists already, or a new one without requests,
// which depend on the node. Null if no extended resource of the pod may come from devices.
model::ClaimRef SpecialClaimOf(const framework::Cycle& cycle);

// Returns a uid for the share of a device that result number `result` of the claim's allocation is:
// the same for the same version of the claim, so that decisions repeat.
std::string MakeShareId(const api::ResourceClaim& claim, size_t result);

}  // namespace berth::scheduler::plugins
