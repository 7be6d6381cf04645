// NodeDevices are the devices that one node offers to claims, in the order in which they are tried.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/node.h"
#include "api/resource_claim.h"
#include "base/result.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/devices/allocated_devices.h"
#include "scheduler/reference/devices/device_pools.h"
#include "scheduler/reference/devices/device_selectors.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

// A device that a request may get.
struct DeviceCandidate {
  const DevicePool* pool = nullptr;
  const api::ResourceSlice* slice = nullptr;
  const api::Device* device = nullptr;

  DeviceId id() const { return {pool->driver, pool->name, device->name}; }
};

// A request for devices: `exactly`, or one alternative of `firstAvailable`.
struct WantedDevices {
  const api::ResourceClaim* claim = nullptr;
  const api::DeviceClass* device_class = nullptr;
  const api::DeviceSubRequest* wanted = nullptr;
  std::string request;      // The name of the request.
  std::string alternative;  // Empty if the request has none.

  // How results name it: "request" or "request/alternative".
  std::string ResultName() const {
    return alternative.empty() ? request : request + "/" + alternative;
  }
  // How errors name it.
  const std::string& OwnName() const { return alternative.empty() ? request : alternative; }
  // Alternatives have no admin access.
  bool admin_access() const { return alternative.empty() && wanted->admin_access.value_or(false); }
};

class NodeDevices {
 public:
  // Everything must outlive this.
  NodeDevices(const Snapshot& snapshot, const api::Node& node, const model::Features& features,
              const AllocatedDevices& allocated)
      : snapshot_(snapshot), node_(node), features_(features), allocated_(allocated) {}

  // Must be called once, before all others. Fails on a node selector that does not parse.
  Status Gather();

  // All pools, also those that cannot be used.
  const std::vector<DevicePool>& pools() const { return pools_; }
  // The devices of the pools that can be used.
  const std::vector<DeviceCandidate>& candidates() const { return candidates_; }
  const api::Node& node() const { return node_; }
  const model::Features& features() const { return features_; }
  const AllocatedDevices& allocated() const { return allocated_; }
  const Snapshot& snapshot() const { return snapshot_; }

  // Reports whether the device is for this node and matches the selectors of class and request.
  // Fails if an expression fails.
  Result<bool> IsSelectable(const WantedDevices& wanted, const DeviceCandidate& candidate);

  // Returns what is left of the counters of the pool, by counter set. May be negative.
  using CounterValues = std::map<std::string, api::QuantityMap>;
  const CounterValues& AvailableCounters(const DevicePool& pool);

 private:
  Result<bool> MatchesSelectors(const WantedDevices& wanted, const DeviceCandidate& candidate);

  const Snapshot& snapshot_;
  const api::Node& node_;
  const model::Features& features_;
  const AllocatedDevices& allocated_;
  std::vector<DevicePool> pools_;
  std::vector<DeviceCandidate> candidates_;
  DeviceSelectors selectors_;
  std::map<const DevicePool*, CounterValues> available_counters_;
  // Earlier results of IsSelectable.
  std::map<std::pair<const api::Device*, const api::DeviceSubRequest*>, bool> selectable_;
};

// How messages name a claim.
std::string NameOf(const api::ResourceClaim& claim);

}  // namespace berth::scheduler::reference
