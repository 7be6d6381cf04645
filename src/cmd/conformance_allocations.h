// The devices that claims of a pod get on each feasible node: as recorded in a conformance case,
// and the comparison with what Berth would allocate.
#pragma once

#include <map>
#include <string>

#include "api/resource_claim.h"
#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"

namespace berth::cmd {

// By node and by name of the claim. Nodes without anything to allocate are absent.
using DeviceAllocations = std::map<std::string, std::map<std::string, api::AllocationResult>>;

// Reads `allocations` and `allocationNodeSelectors` of `expect`. Shares have the ID "", since IDs
// are random; tolerations and configs are not recorded.
Result<DeviceAllocations> ReadAllocations(JsonFields::Value expect);

// Compares devices in their order, quantities by value, and the nodes that can use them. Ignores
// what is not recorded.
Differences CompareAllocations(const DeviceAllocations& expected, const DeviceAllocations& actual);

}  // namespace berth::cmd
