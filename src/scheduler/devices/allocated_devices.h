// AllocatedDevices is which devices are allocated, and how much of those that several claims share:
// by the claims of the cluster, and by allocations in flight.
//
// It follows kube-scheduler's index: exclusive devices are a set, so a device that two claims name
// is free when either gives it up; shares and their capacities are counted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
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

  enum class Source : uint8_t { kClaim, kInFlight };
  void Add(const api::AllocationResult& allocation, Source source);
  void Remove(const api::AllocationResult& allocation, Source source);

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
  // The sums that claims consume; those that are not listed are 0.
  api::QuantityMap Consumed(DeviceId id) const;
  void AddConsumed(DeviceId id, std::string_view capacity, api::Quantity& sum) const;

  // A number that changes whenever a device of the pool is allocated or freed.
  uint64_t revision(PoolId pool) const;
  // Returns the pools that changed since the last call, with repetitions.
  std::vector<PoolId> TakeChanged() { return std::exchange(changed_, {}); }

  size_t size() const { return uses_.size(); }

 private:
  static constexpr uint8_t kExclusive = 1, kShared = 2, kCapacity = 4;

  struct Shares {
    std::set<std::string> of_claims;
    std::multiset<std::string> in_flight;
    bool has_capacity_of_claims = false;
    size_t capacities_in_flight = 0;
    api::QuantityMap of_claims_consumed;
    api::QuantityMap in_flight_consumed;
  };
  struct Use {
    Use(DeviceNames& names, const api::DeviceRequestAllocationResult& result);
    DeviceHolder device;
    PoolHolder pool;
    bool of_claim = false;
    uint32_t in_flight = 0;
    std::unique_ptr<Shares> shares;
  };

  void Change(const api::DeviceRequestAllocationResult& result, Source source, bool add);
  static void ChangeShare(Shares& shares, const api::DeviceRequestAllocationResult& result,
                          Source source, bool add);
  void Update(DeviceId id, const Use& use, bool shares_changed);

  DeviceNames& names_;
  const bool shares_;
  std::unordered_map<DeviceId, Use> uses_;
  std::vector<uint8_t> flags_;       // By device.
  std::vector<uint64_t> revisions_;  // By pool.
  uint64_t revision_ = 0;
  std::vector<PoolId> changed_;
};

}  // namespace berth::scheduler::devices
