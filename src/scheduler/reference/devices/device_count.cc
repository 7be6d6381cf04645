#include "scheduler/reference/devices/device_count.h"

#include "base/result.h"
#include "scheduler/reference/devices/device_pools.h"
#include "scheduler/reference/devices/device_selectors.h"

namespace berth::scheduler::reference {
namespace {

Result<bool> IsDeviceOn(const api::Device& device, const api::Node& node) {
  if (device.all_nodes.value_or(false)) return true;
  if (!device.node_selector) return device.node_name == node.metadata.name;
  return NodeMatches(node, device.node_name, {}, device.node_selector);
}

// A slice without a node selection counts on every node.
Result<bool> IsSliceOn(const api::ResourceSlice& slice, const api::Node& node) {
  if (slice.all_nodes.value_or(false) || slice.node_name == node.metadata.name) return true;
  if (slice.node_selector) return NodeMatches(node, slice.node_name, {}, slice.node_selector);
  return !slice.node_name || slice.node_name->empty();
}

Result<bool> MatchesClass(const api::Device& device, const std::string& driver,
                          const api::DeviceClass& device_class, DeviceSelectors& selectors) {
  for (const api::DeviceSelector& selector : device_class.selectors) {
    if (!selector.cel_expression) continue;
    // As in kube-scheduler, no device is shareable here.
    const auto matches = selectors.Matches(*selector.cel_expression, driver, device, false);
    if (!matches || !*matches) return matches;
  }
  return true;
}

}  // namespace

DeviceCount CountDevices(const Snapshot& snapshot, const api::Node& node,
                         const api::DeviceClass& device_class, const AllocatedDevices& allocated,
                         const model::Features& features) {
  DeviceSelectors selectors;
  DeviceCount count;
  for (const auto& [key, slice] : snapshot.resource_slices) {
    // DIFFERS: kube-scheduler counts devices that the gate keeps from being allocated.
    if (!features.dra_partitionable_devices && NeedsPartitionableDevices(*slice)) continue;
    const bool per_device = slice->per_device_node_selection.value_or(false);
    const auto slice_is_on = per_device ? Result<bool>(true) : IsSliceOn(*slice, node);
    if (!slice_is_on) return {};
    if (!*slice_is_on) continue;
    for (const api::Device& device : slice->devices) {
      const auto is_on = per_device ? IsDeviceOn(device, node) : Result<bool>(true);
      if (!is_on) return {};
      if (!*is_on) continue;
      const auto matches = MatchesClass(device, slice->driver, device_class, selectors);
      if (!matches) return {};
      if (!*matches) continue;
      ++count.capacity;
      if (allocated.Has({slice->driver, slice->pool.name, device.name})) ++count.allocated;
    }
  }
  return count;
}

}  // namespace berth::scheduler::reference
