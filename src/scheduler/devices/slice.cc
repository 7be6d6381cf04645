#include "scheduler/devices/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace berth::scheduler::devices {
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

const cel::Device& Device::value() const { return look->ValueOf(slice->object().driver, *object); }

Slice::Slice(std::shared_ptr<const api::ResourceSlice> object, DeviceNames& names,
             DeviceLooks& looks, bool consumable_capacity)
    : object_(std::move(object)),
      pool_(names.pools),
      ids_(names.devices),
      nodes_(object_->node_name, object_->all_nodes, object_->node_selector) {
  pool_.Intern(PoolKey(object_->driver, object_->pool.name));
  devices_.reserve(object_->devices.size());
  ids_.Reserve(object_->devices.size());
  for (const api::Device& device : object_->devices) {
    Device& made = devices_.emplace_back();
    made.object = &device;
    uses_counters_ |= !device.consumes_counters.empty();
    made.slice = this;
    made.id = ids_.Intern(DeviceKey(object_->driver, object_->pool.name, device.name));
    made.look = looks.Use(object_->driver, device);
    made.shareable = consumable_capacity && device.allow_multiple_allocations.value_or(false);
    made.always_has_capacity =
        !made.shareable && std::ranges::none_of(device.capacity, [](const auto& capacity) {
          return capacity.second.request_policy.has_value();
        });
    if (object_->per_device_node_selection.value_or(false))
      made.nodes.emplace(device.node_name, device.all_nodes, device.node_selector);
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
