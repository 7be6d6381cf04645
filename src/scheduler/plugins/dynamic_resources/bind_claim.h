// How a claim is bound to a pod: the API learns that it is allocated and reserved for the pod, and
// the model what the API has stored.
#pragma once

#include <string>

#include "base/task.h"
#include "scheduler/framework/writes.h"
#include "scheduler/plugins/dynamic_resources/claim_state.h"

namespace berth::scheduler::plugins {

// Reports whether the claim is reserved for the pod.
bool IsReservedFor(const api::ResourceClaim& claim, const std::string& pod_uid);
// Reports whether both are allocated, and have the same devices.
bool HaveSameDevices(const api::ResourceClaim& a, const api::ResourceClaim& b);
// The error of a pod that was to share devices which the claim does not have any more.
std::string DeallocatedElsewhere(const api::ResourceClaim& claim);

// Binds `claim`, which is one of `pod` and not reserved for it. When it ends, the claim's
// allocation is no longer in flight: it is written and known to the model, or given up. After a
// success claim.object is what the API has stored; a special claim is so as soon as it is created.
//
// All must outlive the task.
Task<framework::Verdict> BindClaim(framework::BindingContext& binding, const PodClaims& pod,
                                   PodClaim& claim);

}  // namespace berth::scheduler::plugins
