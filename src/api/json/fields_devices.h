// The JSON names of the fields of ResourceClaims, DeviceClasses and ResourceSlices; see fields.h.
#pragma once

#include <type_traits>

#include "api/json/fields.h"
#include "api/resource_claim.h"
#include "api/resource_slice.h"

namespace berth::api {

void Fields(auto& v, Like<DeviceAttribute> auto& t) {
  v("int", t.int_value);
  v("bool", t.bool_value);
  v("string", t.string_value);
  v("version", t.version_value);
  v("ints", t.int_values);
  v("bools", t.bool_values);
  v("strings", t.string_values);
  v("versions", t.version_values);
}

void Fields(auto& v, Like<CapacityRequestPolicyRange> auto& t) {
  v("min", t.min);
  v("max", t.max);
  v("step", t.step);
}

void Fields(auto& v, Like<CapacityRequestPolicy> auto& t) {
  v("default", t.default_value);
  v("validValues", t.valid_values);
  v("validRange", t.valid_range);
}

void Fields(auto& v, Like<DeviceCapacity> auto& t) {
  v.Required("value", t.value);
  v("requestPolicy", t.request_policy);
}

void Fields(auto& v, Like<Counter> auto& t) { v.Required("value", t.value); }

void Fields(auto& v, Like<CounterSet> auto& t) {
  v.Required("name", t.name);
  v.Required("counters", t.counters);
}

void Fields(auto& v, Like<DeviceCounterConsumption> auto& t) {
  v.Required("counterSet", t.counter_set);
  v.Required("counters", t.counters);
}

void Fields(auto& v, Like<DeviceTaint> auto& t) {
  v.Required("key", t.key);
  v("value", t.value);
  v.Required("effect", t.effect);
  v("timeAdded", t.time_added);
}

void Fields(auto& v, Like<Device> auto& t) {
  v.Required("name", t.name);
  v("attributes", t.attributes);
  v("capacity", t.capacity);
  v("consumesCounters", t.consumes_counters);
  v("nodeName", t.node_name);
  v("nodeSelector", t.node_selector);
  v("allNodes", t.all_nodes);
  v("taints", t.taints);
  v("bindsToNode", t.binds_to_node);
  v("bindingConditions", t.binding_conditions);
  v("bindingFailureConditions", t.binding_failure_conditions);
  v("allowMultipleAllocations", t.allow_multiple_allocations);
}

void Fields(auto& v, Like<ResourcePool> auto& t) {
  v.Required("name", t.name);
  v.Required("generation", t.generation);
  v.Required("resourceSliceCount", t.resource_slice_count);
}

void Fields(auto& v, Like<ResourceSlice> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) {
    spec.Required("driver", t.driver);
    spec.Required("pool", t.pool);
    spec("nodeName", t.node_name);
    spec("nodeSelector", t.node_selector);
    spec("allNodes", t.all_nodes);
    spec("devices", t.devices);
    spec("perDeviceNodeSelection", t.per_device_node_selection);
    spec("sharedCounters", t.shared_counters);
  });
}

void Fields(auto& v, Like<DeviceSelector> auto& t) {
  v.Wrapped("cel", "expression", t.cel_expression);
}

void Fields(auto& v, Like<DeviceToleration> auto& t) {
  v("key", t.key);
  v("operator", t.op);
  v("value", t.value);
  v("effect", t.effect);
  v("tolerationSeconds", t.toleration_seconds);
}

void Fields(auto& v, Like<OpaqueDeviceConfiguration> auto& t) {
  v.Required("driver", t.driver);
  v.Required("parameters", t.parameters);
}

void Fields(auto& v, Like<DeviceSubRequest> auto& t) {
  v("name", t.name);
  v.Required("deviceClassName", t.device_class_name);
  v("selectors", t.selectors);
  v("allocationMode", t.allocation_mode);
  v("count", t.count);
  v("adminAccess", t.admin_access);
  v("tolerations", t.tolerations);
  v.Wrapped("capacity", "requests", t.capacity_requests);
}

inline void ApplyDefaults(DeviceSubRequest& t) {
  if (t.allocation_mode.empty()) t.allocation_mode = "ExactCount";
  if (t.count == 0 && t.allocation_mode == "ExactCount") t.count = 1;
}

void Fields(auto& v, Like<DeviceRequest> auto& t) {
  v.Required("name", t.name);
  v("exactly", t.exactly);
  v("firstAvailable", t.first_available);
}

void Fields(auto& v, Like<DeviceConstraint> auto& t) {
  v("requests", t.requests);
  v("matchAttribute", t.match_attribute);
  v("distinctAttribute", t.distinct_attribute);
}

void Fields(auto& v, Like<DeviceClaimConfiguration> auto& t) {
  v("requests", t.requests);
  v("opaque", t.opaque);
}

void Fields(auto& v, Like<ResourceClaimSpec> auto& t) {
  v.Group("devices", [&](auto& devices) {
    devices("requests", t.requests);
    devices("constraints", t.constraints);
    devices("config", t.config);
  });
}

void Fields(auto& v, Like<DeviceRequestAllocationResult> auto& t) {
  v.Required("request", t.request);
  v.Required("driver", t.driver);
  v.Required("pool", t.pool);
  v.Required("device", t.device);
  v("adminAccess", t.admin_access);
  v("tolerations", t.tolerations);
  v("bindingConditions", t.binding_conditions);
  v("bindingFailureConditions", t.binding_failure_conditions);
  v("shareID", t.share_id);
  v("consumedCapacity", t.consumed_capacity);
}

void Fields(auto& v, Like<DeviceAllocationConfiguration> auto& t) {
  v.Required("source", t.source);
  v("requests", t.requests);
  v("opaque", t.opaque);
}

void Fields(auto& v, Like<AllocationResult> auto& t) {
  v.Group("devices", [&](auto& devices) {
    devices("results", t.results);
    devices("config", t.config);
  });
  v("nodeSelector", t.node_selector);
  v("allocationTimestamp", t.allocation_timestamp);
}

void Fields(auto& v, Like<ResourceClaimConsumerReference> auto& t) {
  v("apiGroup", t.api_group);
  v.Required("resource", t.resource);
  v.Required("name", t.name);
  v.Required("uid", t.uid);
}

void Fields(auto& v, Like<DeviceCondition> auto& t) {
  v.Required("type", t.type);
  v.Required("status", t.status);
  v("reason", t.reason);
  v("message", t.message);
}

void Fields(auto& v, Like<AllocatedDeviceStatus> auto& t) {
  v.Required("driver", t.driver);
  v.Required("pool", t.pool);
  v.Required("device", t.device);
  v("shareID", t.share_id);
  v("conditions", t.conditions);
}

void Fields(auto& v, Like<ResourceClaimStatus> auto& t) {
  v("allocation", t.allocation);
  v("reservedFor", t.reserved_for);
  v("devices", t.devices);
}

void Fields(auto& v, Like<ResourceClaimMeta> auto& t) {
  using Base = std::conditional_t<std::is_const_v<std::remove_reference_t<decltype(t)>>,
                                  const ObjectMeta, ObjectMeta>;
  Fields(v, static_cast<Base&>(t));
  v("finalizers", t.finalizers);
}

void Fields(auto& v, Like<ResourceClaim> auto& t) {
  v.Required("metadata", t.metadata);
  v.Required("spec", t.spec);
  v.Required("status", t.status);
}

void Fields(auto& v, Like<DeviceClassConfiguration> auto& t) { v("opaque", t.opaque); }

void Fields(auto& v, Like<DeviceClass> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) {
    spec("selectors", t.selectors);
    spec("config", t.config);
    spec("extendedResourceName", t.extended_resource_name);
  });
}

}  // namespace berth::api
