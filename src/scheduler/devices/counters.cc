#include "scheduler/devices/counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/devices/allocated_devices.h"

namespace berth::scheduler::devices {

Status PoolCounters::AddSet(const api::CounterSet& set) {
  const auto [added, is_new] = sets_.try_emplace(set.name);
  if (!is_new) return Fail(fmt::format("duplicate counter set name {}", set.name));
  for (const auto& [name, counter] : set.counters) {
    added->second.counters.emplace(name, static_cast<uint32_t>(values_.size()));
    values_.push_back(counter.value);
  }
  return {};
}

Result<CounterUses> PoolCounters::UsesOf(const api::Device& device) const {
  CounterUses uses;
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    const auto set = sets_.find(consumption.counter_set);
    if (set == sets_.end())
      return Fail(fmt::format("counter set {} not found", consumption.counter_set));
    for (const auto& [name, counter] : consumption.counters) {
      const auto found = set->second.counters.find(name);
      if (found == set->second.counters.end()) {
        return Fail(
            fmt::format("counter {} not found in counter set {}", name, consumption.counter_set));
      }
      uses.push_back({found->second, counter.value});
    }
  }
  return uses;
}

PoolCounters::Rest PoolCounters::Available(const AllocatedDevices& allocated,
                                           uint64_t revision) const {
  if (revision_ == revision) return {available_, overdrawn_};
  available_ = values_;
  for (const auto& [id, uses] : devices_) {
    if (!allocated.IsAllocated(id)) continue;
    for (const CounterUse& use : uses) available_[use.counter] -= use.amount;
  }
  overdrawn_ =
      std::ranges::any_of(available_, [](const api::Quantity& left) { return left.Sign() < 0; });
  revision_ = revision;
  return {available_, overdrawn_};
}

}  // namespace berth::scheduler::devices
