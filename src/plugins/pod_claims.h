// The resource claims that a pod names, or that were made for it from templates.
#pragma once

#include <vector>

#include "api/pod.h"
#include "api/dynamic_resources.h"
#include "base/result.h"
#include "cluster/cluster.h"

namespace berth {

// In the order of spec.resourceClaims, without those that were deliberately not made. Fails with
// the sentence that users see if one is missing, going, or somebody else's.
Result<std::vector<const api::ResourceClaim*>> ClaimsOf(const Cluster& cluster,
                                                        const api::Pod& pod);

}  // namespace berth
