// The resource claims of a pod: which they are, and whether allocated ones can be used.
#pragma once

#include <string>
#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "base/result.h"
#include "base/time.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

// Returns the claims that the pod refers to, in its order. Fails if one is not there yet, is not
// the pod's or is being deleted.
Result<std::vector<const api::ResourceClaim*>> ClaimsOf(const Snapshot& snapshot,
                                                        const api::Pod& pod);

// Reports whether the claim's devices cannot be bound any more: a device reports a failure, or one
// is not ready and the time to wait for it is over.
bool HasFailedToBind(const api::ResourceClaim& claim, Duration binding_timeout, Instant now);

}  // namespace berth::scheduler::reference
