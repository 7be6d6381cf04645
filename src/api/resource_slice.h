// ResourceSlice lists devices that a driver offers, and the nodes that can use them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/quantity.h"

namespace berth::api {

// Quantities by name: capacities, counters.
using QuantityMap = std::map<std::string, Quantity, std::less<>>;

// An attribute of a device: one of its fields is set, in objects that the API server accepted.
struct DeviceAttribute {
  std::optional<int64_t> int_value = {};
  std::optional<bool> bool_value = {};
  std::optional<std::string> string_value = {};
  std::optional<std::string> version_value = {};
  // Lists need the feature gate DRAListTypeAttributes, which is off by default.
  std::vector<int64_t> int_values = {};
  std::vector<bool> bool_values = {};
  std::vector<std::string> string_values = {};
  std::vector<std::string> version_values = {};
  friend bool operator==(const DeviceAttribute&, const DeviceAttribute&) = default;
};

struct CapacityRequestPolicyRange {
  std::optional<Quantity> min = {};
  std::optional<Quantity> max = {};
  std::optional<Quantity> step = {};
  friend bool operator==(const CapacityRequestPolicyRange&,
                         const CapacityRequestPolicyRange&) = default;
};

// How much of a capacity one request may consume of a device that several share.
struct CapacityRequestPolicy {
  std::optional<Quantity> default_value = {};
  std::vector<Quantity> valid_values = {};
  std::optional<CapacityRequestPolicyRange> valid_range = {};
  friend bool operator==(const CapacityRequestPolicy&, const CapacityRequestPolicy&) = default;
};

struct DeviceCapacity {
  Quantity value = {};
  std::optional<CapacityRequestPolicy> request_policy = {};
  friend bool operator==(const DeviceCapacity&, const DeviceCapacity&) = default;
};

struct Counter {
  Quantity value = {};
  friend bool operator==(const Counter&, const Counter&) = default;
};

using Counters = std::map<std::string, Counter, std::less<>>;

// Counters that the devices of a pool share.
struct CounterSet {
  std::string name = {};
  Counters counters = {};
  friend bool operator==(const CounterSet&, const CounterSet&) = default;
};

// What a device takes from a CounterSet while it is allocated.
struct DeviceCounterConsumption {
  std::string counter_set = {};
  Counters counters = {};
  friend bool operator==(const DeviceCounterConsumption&,
                         const DeviceCounterConsumption&) = default;
};

struct DeviceTaint {
  std::string key = {};
  std::string value = {};
  std::string effect = {};  // NoSchedule, NoExecute, None; not validated.
  std::optional<Instant> time_added = {};
  friend bool operator==(const DeviceTaint&, const DeviceTaint&) = default;
};

struct Device {
  std::string name = {};
  std::map<std::string, DeviceAttribute, std::less<>> attributes = {};
  std::map<std::string, DeviceCapacity, std::less<>> capacity = {};
  std::vector<DeviceCounterConsumption> consumes_counters = {};
  // With perDeviceNodeSelection, the nodes that can use this device.
  std::optional<std::string> node_name = {};
  std::optional<NodeSelector> node_selector = {};
  std::optional<bool> all_nodes = {};
  std::vector<DeviceTaint> taints = {};
  std::optional<bool> binds_to_node = {};
  std::optional<std::vector<std::string>> binding_conditions = {};
  std::vector<std::string> binding_failure_conditions = {};
  std::optional<bool> allow_multiple_allocations = {};
  friend bool operator==(const Device&, const Device&) = default;
};

// A pool of devices may need several slices; the slices of its highest generation count.
struct ResourcePool {
  std::string name = {};
  int64_t generation = 0;
  int64_t resource_slice_count = 0;
  friend bool operator==(const ResourcePool&, const ResourcePool&) = default;
};

struct ResourceSlice {
  ObjectMeta metadata;
  std::string driver = {};
  ResourcePool pool = {};
  // The nodes that can use the devices: one of these four is set.
  std::optional<std::string> node_name = {};
  std::optional<NodeSelector> node_selector = {};
  std::optional<bool> all_nodes = {};
  std::optional<bool> per_device_node_selection = {};
  std::vector<Device> devices = {};
  std::vector<CounterSet> shared_counters = {};
  friend bool operator==(const ResourceSlice&, const ResourceSlice&) = default;
};

}  // namespace berth::api
