// The wire names of the fields of ResourceClaim, DeviceClass and ResourceSlice; see json_fields.h.
#pragma once

#include "api/dynamic_resources.h"
#include "api/json_fields.h"
#include "api/json_fields_node.h"

namespace berth::api {

void Fields(auto& v, Like<AllocatedDevice> auto& t) {
  v.Required("request", t.request);
  v.Required("driver", t.driver);
  v.Required("pool", t.pool);
  v.Required("device", t.device);
}

void Fields(auto& v, Like<ClaimAllocation> auto& t) {
  v.Group("devices", [&](auto& devices) { devices("results", t.devices); });
  v("nodeSelector", t.node_selector);
}

void Fields(auto& v, Like<ClaimConsumer> auto& t) {
  v("apiGroup", t.api_group);
  v.Required("resource", t.resource);
  v.Required("name", t.name);
  v.Required("uid", t.uid);
}

void Fields(auto& v, Like<ResourceClaim> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("status", [&](auto& status) {
    status("allocation", t.status.allocation);
    status("reservedFor", t.status.reserved_for);
  });
}

void Fields(auto& v, Like<DeviceClass> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) { spec("extendedResourceName", t.extended_resource_name); });
}

void Fields(auto& v, Like<ResourceSlice> auto& t) { v.Required("metadata", t.metadata); }

}  // namespace berth::api
