// The JSON of ResourceClaims that the scheduler writes.
//
// A write replaces the whole claim, which may have fields that Berth does not decode: what is
// written is the claim's raw JSON, with the parts that the scheduler has changed.
#pragma once

#include <string>
#include <string_view>

#include "api/resource_claim.h"
#include "base/result.h"

namespace berth::api {

// Returns the raw JSON of `claim` with its apiVersion and kind, and with those of its finalizers,
// allocation, reservedFor and devices that differ from the raw JSON. Without raw JSON it is that of
// the fields. Fails if the raw JSON has something that JSON documents cannot hold, such as 1e999.
Result<std::string> ClaimDocument(const ResourceClaim& claim);

// Returns `claim` as a claim to create: without a name, uid and status.
Result<std::string> NewClaimDocument(const ResourceClaim& claim, std::string_view generate_name);

// Returns a strategic merge patch of the status that removes the pod from reservedFor; a conflict
// if the claim has another uid.
std::string UnreservePatch(std::string_view claim_uid, std::string_view pod_uid);

}  // namespace berth::api
