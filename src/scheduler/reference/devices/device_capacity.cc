#include "scheduler/reference/devices/device_capacity.h"

#include <algorithm>
#include <optional>

#include "base/saturating.h"

namespace berth::scheduler::reference {
namespace {

// How far `value` is above the minimum, in steps. Amounts count as integers here.
struct Steps {
  int64_t min = 0;
  int64_t step = 0;
  int64_t above_min = 0;
};

// Returns nullopt if the range has no steps.
std::optional<Steps> StepsOf(const api::Quantity& value,
                             const api::CapacityRequestPolicyRange& range) {
  if (!range.step || range.step->Value() == 0) return std::nullopt;
  const int64_t min = range.min ? range.min->Value() : 0;
  return Steps{min, range.step->Value(), SaturatingSubtract(value.Value(), min)};
}

api::Quantity RoundUp(const api::Quantity& requested,
                      const api::CapacityRequestPolicyRange& range) {
  if (requested < *range.min) return *range.min;
  const auto steps = StepsOf(requested, range);
  if (!steps) return requested;
  const int64_t whole = steps->above_min / steps->step + (steps->above_min % steps->step != 0);
  return api::Quantity::FromValue(SaturatingAdd(steps->min, SaturatingMultiply(steps->step, whole)),
                                  api::Quantity::Format::kBinarySI);
}

api::Quantity RoundUp(const api::Quantity& requested, const std::vector<api::Quantity>& valid) {
  for (const api::Quantity& value : valid) {
    if (requested <= value) return value;
  }
  return requested;
}

api::Quantity ConsumedValue(const api::DeviceCapacity& capacity, const api::Quantity* requested) {
  const auto& policy = capacity.request_policy;
  if (requested == nullptr)
    return policy && policy->default_value ? *policy->default_value : capacity.value;
  if (!policy) return *requested;
  if (policy->valid_range && policy->valid_range->min)
    return RoundUp(*requested, *policy->valid_range);
  return RoundUp(*requested, policy->valid_values);
}

bool ViolatesPolicy(const api::Quantity& value, const api::CapacityRequestPolicy& policy) {
  if (policy.default_value && value == *policy.default_value) return false;
  if (policy.valid_range) {
    if (policy.valid_range->max && value > *policy.valid_range->max) return true;
    const auto steps = StepsOf(value, *policy.valid_range);
    return steps && steps->above_min % steps->step != 0;
  }
  return !policy.valid_values.empty() &&
         std::ranges::find(policy.valid_values, value) == policy.valid_values.end();
}

}  // namespace

api::QuantityMap ConsumedCapacity(const api::Device& device, const api::DeviceSubRequest& request) {
  api::QuantityMap consumed;
  for (const auto& [name, capacity] : device.capacity) {
    const api::Quantity* requested = nullptr;
    if (request.capacity_requests) {
      const auto found = request.capacity_requests->find(name);
      if (found != request.capacity_requests->end()) requested = &found->second;
    }
    consumed[name] = ConsumedValue(capacity, requested);
  }
  return consumed;
}

bool FitsCapacity(const api::Device& device, const api::DeviceSubRequest& request,
                  const api::QuantityMap& in_use) {
  for (const auto& [name, amount] : request.capacity_requests.value_or(api::QuantityMap{})) {
    if (!device.capacity.contains(name)) return false;
  }
  for (const auto& [name, amount] : ConsumedCapacity(device, request)) {
    const api::DeviceCapacity& capacity = device.capacity.at(name);
    if (capacity.request_policy && ViolatesPolicy(amount, *capacity.request_policy)) return false;
    api::Quantity sum = amount;
    if (const auto used = in_use.find(name); used != in_use.end()) sum += used->second;
    if (sum > capacity.value) return false;
  }
  return true;
}

}  // namespace berth::scheduler::reference
