#include "scheduler/reference/devices/device_selectors.h"

#include <vector>

namespace berth::scheduler::reference {
namespace {

cel::Device::Attribute ToCel(std::string_view name, const api::DeviceAttribute& attribute) {
  cel::Device::Attribute converted{.name = name, .value = {}};
  if (attribute.int_value) {
    converted.value = *attribute.int_value;
  } else if (attribute.bool_value) {
    converted.value = *attribute.bool_value;
  } else if (attribute.string_value) {
    converted.value = std::string_view(*attribute.string_value);
  } else if (attribute.version_value) {
    converted.value = cel::Device::Version{*attribute.version_value};
  }
  return converted;
}

cel::Device ToCel(std::string_view driver, const api::Device& device, bool shareable) {
  std::vector<cel::Device::Attribute> attributes;
  for (const auto& [name, attribute] : device.attributes)
    attributes.push_back(ToCel(name, attribute));
  std::vector<cel::Device::Capacity> capacities;
  for (const auto& [name, capacity] : device.capacity)
    capacities.push_back({.name = name, .value = &capacity.value});
  return cel::Device({.driver = driver,
                      .allow_multiple_allocations = shareable,
                      .attributes = attributes,
                      .capacity = capacities});
}

}  // namespace

Result<bool> DeviceSelectors::Matches(const std::string& expression, std::string_view driver,
                                      const api::Device& device, bool shareable) {
  auto found = compiled_.find(expression);
  if (found == compiled_.end())
    found = compiled_.emplace(expression, cel::DeviceSelector::Compile(expression)).first;
  const auto& selector = found->second;
  if (!selector) return Fail("CEL compile error: " + selector.error().message);
  const auto matches = selector->Evaluate(ToCel(driver, device, shareable)).matches;
  if (!matches) return Fail("CEL runtime error: " + matches.error().message);
  return *matches;
}

}  // namespace berth::scheduler::reference
