#include "scheduler/devices/capacity.h"

#include <algorithm>
#include <string>

namespace berth::scheduler::devices {
namespace {

__extension__ using Wide = __int128;

// A step of 0 divides nothing; the API server does not accept one.
int64_t StepOf(const api::CapacityRequestPolicyRange& range) {
  return range.step ? range.step->Value() : 0;
}

// The smallest value of the range that is not below `requested`.
api::Quantity RoundUp(const api::Quantity& requested,
                      const api::CapacityRequestPolicyRange& range) {
  if (requested < *range.min) return *range.min;
  const int64_t step = StepOf(range);
  if (step == 0) return requested;
  const auto min = static_cast<Wide>(range.min->Value());
  const Wide added = static_cast<Wide>(requested.Value()) - min;
  const Wide steps = added / step + (added % step != 0 ? 1 : 0);
  const Wide rounded = min + steps * step;
  return api::Quantity::FromValue(
      static_cast<int64_t>(std::clamp<Wide>(rounded, INT64_MIN, INT64_MAX)),
      api::Quantity::Format::kBinarySI);
}

}  // namespace

api::Quantity ConsumedCapacity(const api::Quantity* requested,
                               const api::DeviceCapacity& capacity) {
  const auto& policy = capacity.request_policy;
  if (requested == nullptr)
    return policy && policy->default_value ? *policy->default_value : capacity.value;
  if (!policy) return *requested;
  if (policy->valid_range && policy->valid_range->min)
    return RoundUp(*requested, *policy->valid_range);
  for (const api::Quantity& value : policy->valid_values) {
    if (*requested <= value) return value;
  }
  return *requested;
}

bool ViolatesPolicy(const api::Quantity& amount, const api::DeviceCapacity& capacity) {
  const auto& policy = capacity.request_policy;
  if (!policy) return false;
  if (policy->default_value && amount == *policy->default_value) return false;
  if (policy->valid_range) {
    const api::CapacityRequestPolicyRange& range = *policy->valid_range;
    if (range.max && amount > *range.max) return true;
    const int64_t step = StepOf(range);
    const int64_t min = range.min ? range.min->Value() : 0;
    return step != 0 && (static_cast<Wide>(amount.Value()) - min) % step != 0;
  }
  return !policy->valid_values.empty() &&
         std::ranges::find(policy->valid_values, amount) == policy->valid_values.end();
}

const api::Quantity* RequestedCapacity(const std::optional<api::QuantityMap>& requests,
                                       const std::string& name) {
  if (!requests) return nullptr;
  const auto found = requests->find(name);
  return found == requests->end() ? nullptr : &found->second;
}

api::QuantityMap ConsumedCapacities(const std::optional<api::QuantityMap>& requests,
                                    const api::Device& device) {
  api::QuantityMap consumed;
  for (const auto& [name, capacity] : device.capacity)
    consumed.emplace(name, ConsumedCapacity(RequestedCapacity(requests, name), capacity));
  return consumed;
}

bool HasCapacities(const std::optional<api::QuantityMap>& requests, const api::Device& device) {
  return !requests || std::ranges::all_of(*requests, [&](const auto& request) {
    return device.capacity.contains(request.first);
  });
}

}  // namespace berth::scheduler::devices
