// How much of a device's capacities a request consumes, and whether that is allowed.
#pragma once

#include "api/resource_claim.h"
#include "api/resource_slice.h"

namespace berth::scheduler::reference {

// Returns what the request consumes of each capacity of the device.
api::QuantityMap ConsumedCapacity(const api::Device& device, const api::DeviceSubRequest& request);

// Reports whether the request fits: every capacity that it names exists, its amounts obey the
// policies of the device, and with what is in use already no capacity is exceeded.
bool FitsCapacity(const api::Device& device, const api::DeviceSubRequest& request,
                  const api::QuantityMap& in_use);

}  // namespace berth::scheduler::reference
