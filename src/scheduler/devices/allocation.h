// The allocation of a claim, as it is written to its status: the result of a search.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "api/resource_claim.h"
#include "base/result.h"
#include "scheduler/devices/gates.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/requests.h"
#include "scheduler/devices/search.h"

namespace berth::scheduler::devices {

// Fails if the nodes where the picked devices are available cannot be written as a selector: that
// of a slice has several terms.
Status CheckNodeSelector(const NodePools& pools, std::span<const Pick> picks);

// Returns the allocation of claim number `claim` of the search. `share_id` returns a new id for the
// given result. CheckNodeSelector must have succeeded for its picks.
api::AllocationResult MakeAllocation(const NodePools& pools, const SearchResult& found,
                                     size_t claim, const CompiledClaim& compiled,
                                     const api::ResourceClaimSpec& spec, const std::string& node,
                                     const Gates& gates,
                                     const std::function<std::string(size_t)>& share_id);

// Returns the picks of claim number `claim`.
std::span<const Pick> PicksOf(const SearchResult& found, size_t claim);

}  // namespace berth::scheduler::devices
