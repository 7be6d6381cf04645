// AllocateDevices finds devices for claims on one node and describes the result as the API does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/node.h"
#include "api/resource_claim.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/devices/allocated_devices.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

struct AllocationOutcome {
  enum class Kind : uint8_t {
    kAllocated,
    kNone,          // The devices of the node do not suffice.
    kInvalidPools,  // Likewise, but it has pools that cannot be used because they are invalid.
    kError,         // The claims or their classes are wrong.
    kGaveUp,        // The search reached its bound (DeviceSearch::kMaxTries).
  };
  Kind kind = Kind::kNone;
  // Of each claim, in order. A share ID is "": it is random in kube-scheduler.
  std::vector<api::AllocationResult> results = {};
  std::string error = {};
};

// Allocates all of `claims`, or none.
AllocationOutcome AllocateDevices(const Snapshot& snapshot, const api::Node& node,
                                  const model::Features& features,
                                  const AllocatedDevices& allocated,
                                  const std::vector<const api::ResourceClaim*>& claims);

}  // namespace berth::scheduler::reference
