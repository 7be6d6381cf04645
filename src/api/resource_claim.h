// The objects of dynamic resource allocation: ResourceClaim, DeviceClass and ResourceSlice, with
// the fields that queueing hints read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/meta.h"

namespace berth::api {

struct AllocatedDevice {
  std::string request;
  std::string driver;
  std::string pool;
  std::string device;
  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};

struct ClaimAllocation {
  std::vector<AllocatedDevice> devices;
  std::optional<NodeSelector> node_selector;
  friend bool operator==(const ClaimAllocation&, const ClaimAllocation&) = default;
};

struct ClaimConsumer {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;
  friend bool operator==(const ClaimConsumer&, const ClaimConsumer&) = default;
};

struct ResourceClaimStatus {
  std::optional<ClaimAllocation> allocation;
  std::vector<ClaimConsumer> reserved_for;
  friend bool operator==(const ResourceClaimStatus&, const ResourceClaimStatus&) = default;
};

struct ResourceClaim {
  ObjectMeta metadata;
  ResourceClaimStatus status;
  friend bool operator==(const ResourceClaim&, const ResourceClaim&) = default;
};

struct DeviceClass {
  ObjectMeta metadata;
  std::optional<std::string> extended_resource_name;
  friend bool operator==(const DeviceClass&, const DeviceClass&) = default;
};

// Only the existence of a slice matters: it may offer the device that a pod waits for.
struct ResourceSlice {
  ObjectMeta metadata;
  friend bool operator==(const ResourceSlice&, const ResourceSlice&) = default;
};

}  // namespace berth::api
