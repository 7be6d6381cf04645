#include "scheduler/reference/devices/allocated_devices.h"

namespace berth::scheduler::reference {
namespace {

void AddDevicesOf(const api::ResourceClaim& claim, const model::Features& features,
                  AllocatedDevices& devices) {
  if (!claim.status.allocation) return;
  for (const api::DeviceRequestAllocationResult& result : claim.status.allocation->results) {
    if (result.admin_access.value_or(false)) continue;
    const DeviceId id{result.driver, result.pool, result.device};
    if (!features.dra_consumable_capacity || !result.share_id) {
      devices.exclusive.insert(id);
      continue;
    }
    devices.shared.insert(id);
    if (!result.consumed_capacity.empty())
      AddQuantities(devices.capacity[id], result.consumed_capacity);
  }
}

}  // namespace

void AddQuantities(api::QuantityMap& sums, const api::QuantityMap& amounts) {
  for (const auto& [name, amount] : amounts) sums[name] += amount;
}

AllocatedDevices GatherAllocatedDevices(const Snapshot& snapshot, const model::Features& features) {
  AllocatedDevices devices;
  for (const auto& [key, claim] : snapshot.resource_claims) AddDevicesOf(*claim, features, devices);
  for (const auto& [uid, claim] : snapshot.devices.in_flight)
    AddDevicesOf(*claim, features, devices);
  return devices;
}

}  // namespace berth::scheduler::reference
