#include "scheduler/reference/devices/device_pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "api/selector.h"

namespace berth::scheduler::reference {
namespace {

using Slices = std::vector<const api::ResourceSlice*>;

bool IsSet(const std::optional<std::string>& name) { return name && !name->empty(); }

Result<bool> AnyDeviceMatches(const api::ResourceSlice& slice, const api::Node& node) {
  for (const api::Device& device : slice.devices) {
    const auto matches =
        NodeMatches(node, device.node_name, device.all_nodes, device.node_selector);
    if (!matches) {
      // DIFFERS: kube-scheduler prints the whole device here.
      return Fail(fmt::format("failed to perform node selection for device {} in slice {}: {}",
                              device.name, slice.metadata.name, matches.error().message));
    }
    if (*matches) return true;
  }
  return false;
}

// Slices with counters belong to their pool on every node.
Result<bool> IsRelevant(const api::ResourceSlice& slice, const api::Node& node) {
  if (!slice.shared_counters.empty()) return true;
  if (IsSet(slice.node_name) || slice.all_nodes.value_or(false) || slice.node_selector) {
    const auto matches = NodeMatches(node, slice.node_name, slice.all_nodes, slice.node_selector);
    if (matches) return *matches;
    return Fail(fmt::format("failed to perform node selection for slice {}: {}",
                            slice.metadata.name, matches.error().message));
  }
  if (slice.per_device_node_selection.value_or(false)) return AnyDeviceMatches(slice, node);
  return false;
}

// Returns the slices that may be relevant: first those of the node alone, then the others.
Slices CandidateSlices(const Snapshot& snapshot, const api::Node& node) {
  Slices local;
  Slices others;
  for (const auto& [key, slice] : snapshot.resource_slices) {
    if (!IsSet(slice->node_name) || !slice->shared_counters.empty()) {
      others.push_back(slice.get());
    } else if (slice->node_name == node.metadata.name) {
      local.push_back(slice.get());
    }
  }
  std::ranges::copy(others, std::back_inserter(local));
  return local;
}

void KeepHighestGeneration(Slices& slices) {
  const auto generation_of = [](const auto* slice) { return slice->pool.generation; };
  const int64_t highest = generation_of(*std::ranges::max_element(slices, {}, generation_of));
  std::erase_if(slices, [&](const auto* slice) { return generation_of(slice) < highest; });
}

// Returns all slices of the pool and generation in the cluster; nullopt if there is a newer one.
std::optional<Slices> SlicesOfGeneration(const Snapshot& snapshot, const api::ResourceSlice& like) {
  Slices slices;
  for (const auto& [key, slice] : snapshot.resource_slices) {
    if (slice->driver != like.driver || slice->pool.name != like.pool.name) continue;
    if (slice->pool.generation > like.pool.generation) return std::nullopt;
    if (slice->pool.generation == like.pool.generation) slices.push_back(slice.get());
  }
  return slices;
}

bool HasDuplicateDevices(const Slices& slices) {
  std::set<std::string> names;
  for (const auto* slice : slices) {
    for (const api::Device& device : slice->devices) {
      if (!names.insert(device.name).second) return true;
    }
  }
  return false;
}

// Reports whether a device consumes a counter that the pool does not have.
bool ConsumesUnknownCounter(const DevicePool& pool, const Slices& slices) {
  for (const auto* slice : slices) {
    for (const api::Device& device : slice->devices) {
      for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
        const auto set = pool.counter_sets.find(consumption.counter_set);
        if (set == pool.counter_sets.end()) return true;
        for (const auto& [name, counter] : consumption.counters) {
          if (!set->second.contains(name)) return true;
        }
      }
    }
  }
  return false;
}

// Fills the pool from its slices; returns false if they contradict each other.
bool FillPool(const Slices& relevant, const Slices& elsewhere, const model::Features& features,
              DevicePool& pool) {
  if (!features.dra_partitionable_devices) {
    pool.slices = relevant;
    return !HasDuplicateDevices(relevant);
  }
  for (const auto* slice : relevant) {
    if (slice->shared_counters.empty()) pool.slices.push_back(slice);
  }
  if (HasDuplicateDevices(pool.slices)) return false;
  for (const auto* slice : relevant) {
    for (const api::CounterSet& set : slice->shared_counters) {
      if (!pool.counter_sets.emplace(set.name, set.counters).second) return false;
    }
  }
  pool.slices_elsewhere = elsewhere;
  return !ConsumesUnknownCounter(pool, relevant) && !ConsumesUnknownCounter(pool, elsewhere);
}

// Returns nullopt if the slices are of an old generation.
std::optional<DevicePool> MakePool(const Snapshot& snapshot, Slices relevant,
                                   const model::Features& features) {
  KeepHighestGeneration(relevant);
  const api::ResourceSlice& first = *relevant.front();
  DevicePool pool{.driver = first.driver, .name = first.pool.name};
  Slices elsewhere;
  // A newer generation without a slice for this node goes unnoticed if this one is complete.
  if (std::ssize(relevant) != first.pool.resource_slice_count) {
    const auto all = SlicesOfGeneration(snapshot, first);
    if (!all) return std::nullopt;
    if (std::ssize(*all) != first.pool.resource_slice_count) {
      pool.state = DevicePool::State::kIncomplete;
      return pool;
    }
    for (const auto* slice : *all) {
      if (!Contains(relevant, slice)) elsewhere.push_back(slice);
    }
  }
  std::ranges::sort(relevant, {}, [](const auto* slice) { return slice->metadata.name; });
  if (FillPool(relevant, elsewhere, features, pool)) return pool;
  return DevicePool{.driver = pool.driver, .name = pool.name, .state = DevicePool::State::kInvalid};
}

bool HasBindingConditions(const DevicePool& pool) {
  return std::ranges::any_of(pool.slices, [](const auto* slice) {
    return std::ranges::any_of(slice->devices, [](const api::Device& device) {
      return device.binding_conditions.has_value();
    });
  });
}

}  // namespace

bool NeedsPartitionableDevices(const api::ResourceSlice& slice) {
  return slice.per_device_node_selection || !slice.shared_counters.empty();
}

Result<bool> NodeMatches(const api::Node& node, const std::optional<std::string>& node_name,
                         const std::optional<bool>& all_nodes,
                         const std::optional<api::NodeSelector>& selector) {
  if (IsSet(node_name)) return *node_name == node.metadata.name;
  if (all_nodes.value_or(false)) return true;
  if (!selector) return false;
  const auto compiled = api::CompiledNodeSelector::Make(*selector);
  // DIFFERS: kube-scheduler prints the selector, too.
  if (!compiled) return Fail("failed to parse node selector: " + compiled.error().message);
  return compiled->Matches(node.metadata.labels, node.metadata.name);
}

Result<std::vector<DevicePool>> GatherPools(const Snapshot& snapshot, const api::Node& node,
                                            const model::Features& features) {
  std::map<std::pair<std::string, std::string>, Slices> relevant;  // By driver and pool.
  for (const auto* slice : CandidateSlices(snapshot, node)) {
    if (!features.dra_partitionable_devices && NeedsPartitionableDevices(*slice)) continue;
    const auto is_relevant = IsRelevant(*slice, node);
    if (!is_relevant) return std::unexpected(is_relevant.error());
    if (*is_relevant) relevant[{slice->driver, slice->pool.name}].push_back(slice);
  }
  std::vector<DevicePool> pools;
  std::vector<DevicePool> last;
  for (const auto& [id, slices] : relevant) {
    auto pool = MakePool(snapshot, slices, features);
    if (!pool) continue;
    auto& list = HasBindingConditions(*pool) ? last : pools;
    list.push_back(*std::move(pool));
  }
  std::ranges::move(last, std::back_inserter(pools));
  return pools;
}

}  // namespace berth::scheduler::reference
