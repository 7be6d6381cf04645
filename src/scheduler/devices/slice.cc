#include "scheduler/devices/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::scheduler::devices {
namespace {

// Reports whether selectors see the same in both devices of a slice.
bool LookAlike(const api::Device& a, const api::Device& b) {
  return a.allow_multiple_allocations.value_or(false) ==
             b.allow_multiple_allocations.value_or(false) &&
         a.attributes == b.attributes && a.capacity == b.capacity;
}

}  // namespace

cel::Device MakeValue(const Device& device, bool allow_multiple_allocations) {
  std::vector<cel::Device::Attribute> attributes;
  for (const auto& [name, value] : device.object->attributes) {
    cel::Device::Attribute attribute{.name = name, .value = {}};
    if (value.int_value) {
      attribute.value = *value.int_value;
    } else if (value.bool_value) {
      attribute.value = *value.bool_value;
    } else if (value.string_value) {
      attribute.value = std::string_view(*value.string_value);
    } else if (value.version_value) {
      attribute.value = cel::Device::Version{*value.version_value};
    }
    attributes.push_back(attribute);
  }
  std::vector<cel::Device::Capacity> capacity;
  for (const auto& [name, value] : device.object->capacity)
    capacity.push_back({name, &value.value});
  return cel::Device({.driver = device.slice->object().driver,
                      .allow_multiple_allocations = allow_multiple_allocations,
                      .attributes = attributes,
                      .capacity = capacity});
}

NodeChoice::NodeChoice(const std::optional<std::string>& node_name,
                       const std::optional<bool>& all_nodes,
                       const std::optional<api::NodeSelector>& selector)
    : node_name_(node_name.value_or("")), all_nodes_(all_nodes.value_or(false)) {
  if (selector) selector_ = api::CompiledNodeSelector::Make(*selector);
}

Result<bool> NodeChoice::Matches(const api::Node& node) const {
  if (!node_name_.empty()) return node_name_ == node.metadata.name;
  if (all_nodes_) return true;
  if (!selector_) return false;
  if (!*selector_) return Fail("failed to parse node selector: " + selector_->error().message);
  return (*selector_)->Matches(node.metadata.labels, node.metadata.name);
}

const cel::Device& Device::value() const {
  auto& shared = seen_as->made;
  if (shared == nullptr)
    shared = std::make_unique<const cel::Device>(
        MakeValue(*this, object->allow_multiple_allocations.value_or(false)));
  return *shared;
}

Slice::Slice(std::shared_ptr<const api::ResourceSlice> object, DeviceNames& names,
             SelectorTable& selectors, bool consumable_capacity)
    : object_(std::move(object)),
      selectors_(selectors),
      pool_(names.pools),
      ids_(names.devices),
      nodes_(object_->node_name, object_->all_nodes, object_->node_selector) {
  pool_.Intern(PoolKey(object_->driver, object_->pool.name));
  devices_.reserve(object_->devices.size());
  ids_.Reserve(object_->devices.size());
  for (const api::Device& device : object_->devices) {
    const Device* const before = devices_.empty() ? nullptr : &devices_.back();
    Device& made = devices_.emplace_back();
    made.object = &device;
    uses_counters_ |= !device.consumes_counters.empty();
    made.slice = this;
    made.id = ids_.Intern(DeviceKey(object_->driver, object_->pool.name, device.name));
    const bool is_alike = before != nullptr && LookAlike(*before->object, device);
    made.seen_as = is_alike ? before->seen_as : &made;
    made.slot = is_alike ? before->slot : selectors_.AddDevice();
    made.shareable = consumable_capacity && device.allow_multiple_allocations.value_or(false);
    made.always_has_capacity =
        !made.shareable && std::ranges::none_of(device.capacity, [](const auto& capacity) {
          return capacity.second.request_policy.has_value();
        });
    if (object_->per_device_node_selection.value_or(false))
      made.nodes.emplace(device.node_name, device.all_nodes, device.node_selector);
  }
}

Slice::~Slice() {
  for (const Device& device : devices_) {
    if (device.seen_as == &device) selectors_.ReleaseDevice(device.slot);
  }
}

Result<bool> Slice::IsRelevantTo(const api::Node& node) const {
  if (has_counters()) return true;
  if (!nodes_.empty()) {
    auto matches = nodes_.Matches(node);
    if (!matches) {
      return Fail(fmt::format("failed to perform node selection for slice {}: {}", name(),
                              matches.error().message));
    }
    return matches;
  }
  for (const Device& device : devices_) {
    if (!device.nodes) return false;
    const auto matches = device.nodes->Matches(node);
    if (!matches) {
      return Fail(fmt::format("failed to perform node selection for device {} in slice {}: {}",
                              device.object->name, name(), matches.error().message));
    }
    if (*matches) return true;
  }
  return false;
}

}  // namespace berth::scheduler::devices
