// ResourceClaim requests devices for pods, and records those that are allocated. DeviceClass
// preselects devices for requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"
#include "api/resource_slice.h"

namespace berth::api {

struct DeviceSelector {
  // The CEL expression; absent for a kind of selector that Berth does not know.
  std::optional<std::string> cel_expression = {};
  friend bool operator==(const DeviceSelector&, const DeviceSelector&) = default;
};

struct DeviceToleration {
  std::string key = {};
  std::string op = {};  // Exists, Equal; empty means Equal; not validated.
  std::string value = {};
  std::string effect = {};
  std::optional<int64_t> toleration_seconds = {};
  friend bool operator==(const DeviceToleration&, const DeviceToleration&) = default;
};

// Parameters for a driver, which nobody else reads.
struct OpaqueDeviceConfiguration {
  std::string driver = {};
  RawJson parameters = {};
  friend bool operator==(const OpaqueDeviceConfiguration&,
                         const OpaqueDeviceConfiguration&) = default;
};

// What an exact request, or one alternative of `firstAvailable`, asks for.
struct DeviceSubRequest {
  std::string name = {};  // Empty in exact requests.
  std::string device_class_name = {};
  std::vector<DeviceSelector> selectors = {};
  std::string allocation_mode = {};  // ExactCount, All; not validated.
  int64_t count = 0;
  std::optional<bool> admin_access = {};  // In exact requests.
  std::vector<DeviceToleration> tolerations = {};
  std::optional<QuantityMap> capacity_requests = {};
  friend bool operator==(const DeviceSubRequest&, const DeviceSubRequest&) = default;
};

struct DeviceRequest {
  std::string name = {};
  std::optional<DeviceSubRequest> exactly = {};
  std::vector<DeviceSubRequest> first_available = {};
  friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

struct DeviceConstraint {
  std::vector<std::string> requests = {};  // "request" or "request/subrequest"; all if empty.
  std::optional<std::string> match_attribute = {};
  std::optional<std::string> distinct_attribute = {};
  friend bool operator==(const DeviceConstraint&, const DeviceConstraint&) = default;
};

struct DeviceClaimConfiguration {
  std::vector<std::string> requests = {};  // As in DeviceConstraint.
  std::optional<OpaqueDeviceConfiguration> opaque = {};
  friend bool operator==(const DeviceClaimConfiguration&,
                         const DeviceClaimConfiguration&) = default;
};

struct ResourceClaimSpec {
  std::vector<DeviceRequest> requests = {};
  std::vector<DeviceConstraint> constraints = {};
  std::vector<DeviceClaimConfiguration> config = {};
  friend bool operator==(const ResourceClaimSpec&, const ResourceClaimSpec&) = default;
};

// A device, or a share of one, that is allocated for a request.
struct DeviceRequestAllocationResult {
  std::string request = {};  // "request" or "request/subrequest"
  std::string driver = {};
  std::string pool = {};
  std::string device = {};
  std::optional<bool> admin_access = {};
  std::vector<DeviceToleration> tolerations = {};
  std::vector<std::string> binding_conditions = {};
  std::vector<std::string> binding_failure_conditions = {};
  std::optional<std::string> share_id = {};
  QuantityMap consumed_capacity = {};
  friend bool operator==(const DeviceRequestAllocationResult&,
                         const DeviceRequestAllocationResult&) = default;
};

struct DeviceAllocationConfiguration {
  std::string source = {};  // FromClass, FromClaim.
  std::vector<std::string> requests = {};
  std::optional<OpaqueDeviceConfiguration> opaque = {};
  friend bool operator==(const DeviceAllocationConfiguration&,
                         const DeviceAllocationConfiguration&) = default;
};

struct AllocationResult {
  std::vector<DeviceRequestAllocationResult> results = {};
  std::vector<DeviceAllocationConfiguration> config = {};
  std::optional<NodeSelector> node_selector = {};  // All nodes if absent.
  std::optional<Instant> allocation_timestamp = {};
  friend bool operator==(const AllocationResult&, const AllocationResult&) = default;
};

struct ResourceClaimConsumerReference {
  std::string api_group = {};
  std::string resource = {};
  std::string name = {};
  std::string uid = {};
  friend bool operator==(const ResourceClaimConsumerReference&,
                         const ResourceClaimConsumerReference&) = default;
};

struct DeviceCondition {
  std::string type = {};
  std::string status = {};
  std::string reason = {};
  std::string message = {};
  friend bool operator==(const DeviceCondition&, const DeviceCondition&) = default;
};

// What the driver reports about an allocated device.
struct AllocatedDeviceStatus {
  std::string driver = {};
  std::string pool = {};
  std::string device = {};
  std::optional<std::string> share_id = {};
  std::vector<DeviceCondition> conditions = {};
  friend bool operator==(const AllocatedDeviceStatus&, const AllocatedDeviceStatus&) = default;
};

struct ResourceClaimStatus {
  std::optional<AllocationResult> allocation = {};
  std::vector<ResourceClaimConsumerReference> reserved_for = {};
  std::vector<AllocatedDeviceStatus> devices = {};
  friend bool operator==(const ResourceClaimStatus&, const ResourceClaimStatus&) = default;
};

struct ResourceClaimMeta : ObjectMeta {
  std::vector<std::string> finalizers = {};
  friend bool operator==(const ResourceClaimMeta&, const ResourceClaimMeta&) = default;
};

struct ResourceClaim {
  ResourceClaimMeta metadata = {};
  ResourceClaimSpec spec = {};
  ResourceClaimStatus status = {};
  // Always retained: writes of the scheduler replace the whole object.
  RawJson text = {};
  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

struct DeviceClassConfiguration {
  std::optional<OpaqueDeviceConfiguration> opaque = {};
  friend bool operator==(const DeviceClassConfiguration&,
                         const DeviceClassConfiguration&) = default;
};

struct DeviceClass {
  ObjectMeta metadata;
  std::vector<DeviceSelector> selectors = {};
  std::vector<DeviceClassConfiguration> config = {};
  std::optional<std::string> extended_resource_name = {};
  friend bool operator==(const DeviceClass&, const DeviceClass&) = default;
};

}  // namespace berth::api
