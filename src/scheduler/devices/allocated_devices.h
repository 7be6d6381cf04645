// AllocatedDevices is which devices are allocated, and how much of those that several claims share:
// by the claims of the cluster, and by allocations in flight.
//
// DIFFERS: kube-scheduler has a set of exclusive devices, and ignores an allocation that replaces
// another; a device may then be given out twice. Here allocations are counted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/resource_claim.h"
#include "api/resource_slice.h"
#include "scheduler/devices/device_names.h"

namespace berth::scheduler::devices {

class AllocatedDevices {
 public:
  // `names` must outlive this. Without `shares` (DRAConsumableCapacity) all devices are exclusive.
  AllocatedDevices(DeviceNames& names, bool shares) : names_(names), shares_(shares) {}

  void Add(const api::AllocationResult& allocation) { Count(allocation, /*add=*/true); }
  // Reverts Add.
  void Remove(const api::AllocationResult& allocation) { Count(allocation, /*add=*/false); }

  // Reports whether the device is allocated exclusively.
  bool IsExclusive(DeviceId id) const {
    return id.index() < flags_.size() && (flags_[id.index()] & kExclusive) != 0;
  }
  // Reports whether it is allocated exclusively or shared.
  bool IsAllocated(DeviceId id) const {
    return id.index() < flags_.size() && flags_[id.index()] != 0;
  }
  // Returns whether the device's capacity is in use, as claims that share it consume it.
  bool HasCapacityEntry(DeviceId id) const {
    return id.index() < flags_.size() && (flags_[id.index()] & kCapacity) != 0;
  }
  // Adds what claims consume of the capacity.
  void AddConsumed(DeviceId id, std::string_view capacity, api::Quantity& sum) const;

  // A number that changes whenever a device of the pool is allocated or freed.
  uint64_t revision(PoolId pool) const;
  // A device that was allocated or freed. The ids are valid until the next change.
  struct Change {
    PoolId pool;
    DeviceId device;
  };
  // Returns what changed since the last call, with repetitions.
  std::vector<Change> TakeChanged() { return std::exchange(changed_, {}); }

  size_t size() const { return uses_.size(); }

 private:
  static constexpr uint8_t kExclusive = 1, kShared = 2, kCapacity = 4;

  struct Use {
    explicit Use(DeviceNames& names) : device(names.devices), pool(names.pools) {}
    DeviceHolder device;  // Each holds one.
    PoolHolder pool;
    uint32_t exclusive = 0;  // Allocations that have the device alone.
    uint32_t shares = 0;
    uint32_t consumers = 0;  // Shares that consume capacity.
    std::unique_ptr<api::QuantityMap> consumed;
  };

  void Count(const api::AllocationResult& allocation, bool add);
  void Count(const api::DeviceRequestAllocationResult& result, bool add);
  static void CountShare(Use& use, const api::DeviceRequestAllocationResult& result, bool add);
  void Update(DeviceId id, const Use& use, bool shares_changed);

  DeviceNames& names_;
  const bool shares_;
  std::unordered_map<DeviceId, Use> uses_;
  std::vector<uint8_t> flags_;  // By device.
  // By device; null unless it has kCapacity. A search may look at many devices that are used up.
  std::vector<const api::QuantityMap*> consumed_;
  std::vector<uint64_t> revisions_;  // By pool.
  uint64_t revision_ = 0;
  std::vector<Change> changed_;
};

}  // namespace berth::scheduler::devices
