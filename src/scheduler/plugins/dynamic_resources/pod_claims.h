// The resource claims of a pod, and whether the devices of an allocated one are ready.
#pragma once

#include <string>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "base/result.h"
#include "base/time.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_claims.h"

namespace berth::scheduler::plugins {

// Returns the claims that the pod names or that were created for it from templates, in the order of
// spec.resourceClaims, without those that were deliberately not created. Fails with the message for
// users if one is missing, terminating, or belongs to another pod.
Result<std::vector<model::ClaimRef>> ClaimsOf(const model::Cluster& cluster, const api::Pod& pod);

// Reports whether the binding conditions of the claim's devices are fulfilled. Fails if the driver
// reports a failure; the message is kube-scheduler's.
Result<bool> AreDevicesReady(const api::ResourceClaim& claim);
// Reports whether its devices had more than `timeout` to become ready.
bool BindingTimedOut(const api::ResourceClaim& claim, Duration timeout, Instant date);
// Reports whether some of its devices has binding conditions.
bool HasBindingConditions(const api::ResourceClaim& claim);

}  // namespace berth::scheduler::plugins
