// PoolCounters are the shared counters of a pool, which its devices draw on while they are
// allocated.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/quantity.h"
#include "api/resource_slice.h"
#include "base/result.h"
#include "scheduler/devices/device_names.h"

namespace berth::scheduler::devices {

class AllocatedDevices;

// What a device takes from one counter.
struct CounterUse {
  uint32_t counter = 0;  // An index of PoolCounters.
  api::Quantity amount;
};
using CounterUses = std::vector<CounterUse>;

class PoolCounters {
 public:
  // Fails if the set is there already: the pool is invalid.
  Status AddSet(const api::CounterSet& set);
  // Returns what the device takes. Fails if a set or a counter does not exist: the pool is invalid.
  Result<CounterUses> UsesOf(const api::Device& device) const;
  // A device of the pool counts when it is allocated.
  void AddDevice(DeviceId id, CounterUses uses) {
    if (!uses.empty()) devices_.emplace_back(id, std::move(uses));
  }

  size_t size() const { return values_.size(); }
  // What allocated devices leave.
  struct Rest {
    std::span<const api::Quantity> counters;  // By counter; may be negative.
    bool overdrawn = false;                   // Some is negative.
  };
  // Cached until `revision` changes.
  Rest Available(const AllocatedDevices& allocated, uint64_t revision) const;

 private:
  struct Set {
    std::map<std::string, uint32_t, std::less<>> counters;
  };
  std::map<std::string, Set, std::less<>> sets_;
  std::vector<api::Quantity> values_;  // By counter.
  std::vector<std::pair<DeviceId, CounterUses>> devices_;

  mutable std::vector<api::Quantity> available_;
  mutable bool overdrawn_ = false;
  mutable uint64_t revision_ = UINT64_MAX;
};

}  // namespace berth::scheduler::devices
