// AllocatedDevices are the devices that claims already have: written or in flight.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>

#include "api/resource_slice.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {

struct DeviceId {
  std::string driver;
  std::string pool;
  std::string device;

  std::string ToString() const { return driver + "/" + pool + "/" + device; }
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

struct AllocatedDevices {
  std::set<DeviceId> exclusive;
  // Devices of which somebody has a share.
  std::set<DeviceId> shared;
  // The sum of the shares by capacity. A device whose shares consume nothing is absent.
  std::map<DeviceId, api::QuantityMap> capacity;

  bool Has(const DeviceId& id) const {
    return exclusive.contains(id) || shared.contains(id) || capacity.contains(id);
  }
};

// Devices with admin access do not count. A claim that is written and still in flight counts
// twice, as in kube-scheduler.
AllocatedDevices GatherAllocatedDevices(const Snapshot& snapshot, const model::Features& features);

// Adds each quantity of `amounts` to that in `sums`.
void AddQuantities(api::QuantityMap& sums, const api::QuantityMap& amounts);

}  // namespace berth::scheduler::reference
