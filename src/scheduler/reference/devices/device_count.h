// CountDevices counts the devices of a class for the scores of resources that are backed by it.
#pragma once

#include <cstdint>

#include "api/node.h"
#include "api/resource_claim.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/devices/allocated_devices.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

struct DeviceCount {
  int64_t capacity = 0;
  int64_t allocated = 0;  // Those of `capacity` that are in use.
};

// Counts the devices of the class on the node, whether they could be allocated or not: generations,
// taints and counters do not matter. Returns zeros if a selector fails.
DeviceCount CountDevices(const Snapshot& snapshot, const api::Node& node,
                         const api::DeviceClass& device_class, const AllocatedDevices& allocated,
                         const model::Features& features);

}  // namespace berth::scheduler::reference
