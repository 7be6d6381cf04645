// Consumable capacity: how much of a device's capacities a request consumes, by their request
// policies.
#pragma once

#include <optional>

#include "api/quantity.h"
#include "api/resource_slice.h"

namespace berth::scheduler::devices {

// Returns how much of the capacity a request for `requested` consumes; without one, the default of
// the policy, or all.
api::Quantity ConsumedCapacity(const api::Quantity* requested, const api::DeviceCapacity& capacity);

// Reports whether nobody may consume `amount`.
bool ViolatesPolicy(const api::Quantity& amount, const api::DeviceCapacity& capacity);

// Returns the amount of capacity `name` in `requests`; null if there is none.
const api::Quantity* RequestedCapacity(const std::optional<api::QuantityMap>& requests,
                                       const std::string& name);

// Returns what the device's capacities lose to a request; empty if it has none.
api::QuantityMap ConsumedCapacities(const std::optional<api::QuantityMap>& requests,
                                    const api::Device& device);

// Reports whether the device has all capacities that are requested.
bool HasCapacities(const std::optional<api::QuantityMap>& requests, const api::Device& device);

}  // namespace berth::scheduler::devices
