#include "scheduler/reference/devices/node_devices.h"

#include <fmt/format.h>

#include <string_view>

#include "scheduler/reference/devices/device_features.h"

namespace berth::scheduler::reference {

std::string NameOf(const api::ResourceClaim& claim) {
  return api::ObjectKey{claim.metadata.namespace_, claim.metadata.name}.ToString();
}

Status NodeDevices::Gather() {
  auto pools = GatherPools(snapshot_, node_, features_);
  if (!pools) return Fail("gather pool information: " + pools.error().message);
  pools_ = *std::move(pools);
  for (const DevicePool& pool : pools_) {
    for (const auto* slice : pool.slices) {
      for (const api::Device& device : slice->devices)
        candidates_.push_back({&pool, slice, &device});
    }
  }
  return {};
}

Result<bool> NodeDevices::MatchesSelectors(const WantedDevices& wanted,
                                           const DeviceCandidate& candidate) {
  const api::Device& device = *candidate.device;
  const bool shareable = device.allow_multiple_allocations.value_or(false);
  const auto matches_all = [&](const std::vector<api::DeviceSelector>& selectors,
                               std::string_view owner) -> Result<bool> {
    for (size_t i = 0; i < selectors.size(); ++i) {
      // kube-scheduler has no message for this: it rejects such requests before, and crashes on
      // such classes.
      if (!selectors[i].cel_expression) {
        return Fail(
            fmt::format("{}: selector #{}: CEL expression empty (unsupported selector "
                        "type?)",
                        owner, i));
      }
      const auto matches = selectors_.Matches(*selectors[i].cel_expression, candidate.pool->driver,
                                              device, shareable);
      if (!matches)
        return Fail(fmt::format("{}: selector #{}: {}", owner, i, matches.error().message));
      if (!*matches) return false;
    }
    return true;
  };
  const auto by_class =
      matches_all(wanted.device_class->selectors, "class " + wanted.device_class->metadata.name);
  if (!by_class || !*by_class) return by_class;
  return matches_all(wanted.wanted->selectors, "claim " + NameOf(*wanted.claim));
}

Result<bool> NodeDevices::IsSelectable(const WantedDevices& wanted,
                                       const DeviceCandidate& candidate) {
  const api::Device& device = *candidate.device;
  if (!UsesBindingConditions(features_) && device.binding_conditions &&
      !device.binding_conditions->empty()) {
    return false;
  }
  const std::pair key(&device, wanted.wanted);
  if (const auto known = selectable_.find(key); known != selectable_.end()) return known->second;
  // Devices for other nodes are evaluated, too, and may fail.
  auto matches = MatchesSelectors(wanted, candidate);
  if (matches && *matches && candidate.slice->per_device_node_selection.value_or(false))
    matches = NodeMatches(node_, device.node_name, device.all_nodes, device.node_selector);
  if (matches) selectable_[key] = *matches;
  return matches;
}

const NodeDevices::CounterValues& NodeDevices::AvailableCounters(const DevicePool& pool) {
  const auto [place, is_new] = available_counters_.try_emplace(&pool);
  CounterValues& available = place->second;
  if (!is_new) return available;
  for (const auto& [set, counters] : pool.counter_sets) {
    for (const auto& [name, counter] : counters) available[set][name] = counter.value;
  }
  for (const auto* slices : {&pool.slices, &pool.slices_elsewhere}) {
    for (const auto* slice : *slices) {
      for (const api::Device& device : slice->devices) {
        if (!allocated_.Has({pool.driver, pool.name, device.name})) continue;
        for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
          for (const auto& [name, counter] : consumption.counters)
            available[consumption.counter_set][name] -= counter.value;
        }
      }
    }
  }
  return available;
}

}  // namespace berth::scheduler::reference
