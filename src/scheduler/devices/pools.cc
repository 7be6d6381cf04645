#include "scheduler/devices/pools.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace berth::scheduler::devices {
namespace {

auto PlaceOf(const Pool& pool) {
  return std::tie(pool.has_binding_conditions, pool.driver, pool.name);
}

// Adds the nodes that the devices of `slice` are for. Counters alone change nothing for a node,
// unless they are bad.
void AddNodes(const Slice& slice, SliceCatalog::Affected& nodes) {
  if (!nodes || slice.has_counters()) return;
  if (slice.node_name().empty()) {
    nodes.reset();
  } else {
    nodes->emplace(slice.node_name());
  }
}

}  // namespace

bool SliceCatalog::IsIgnored(const api::ResourceSlice& slice) const {
  return !gates_.partitionable_devices &&
         (slice.per_device_node_selection.has_value() || !slice.shared_counters.empty());
}

SliceCatalog::Affected SliceCatalog::Put(std::shared_ptr<const api::ResourceSlice> slice) {
  const std::string name = slice->metadata.name;
  return Change(name, std::make_shared<const Slice>(std::move(slice), names_, looks_,
                                                    gates_.consumable_capacity));
}

SliceCatalog::Affected SliceCatalog::Remove(const std::string& name) {
  return Change(name, nullptr);
}

SliceCatalog::Affected SliceCatalog::Change(const std::string& name, const SliceRef& added) {
  Affected affected(std::in_place);
  const auto found = slices_.find(name);
  const SliceRef removed = found == slices_.end() ? nullptr : found->second;
  const std::map<PoolId, bool> bad_before = bad_counters_;
  std::map<PoolId, CompleteGenerations> pools;  // That change, with their completeness.
  bool counters_change = false;
  for (const SliceRef& slice : {removed, added}) {
    if (slice == nullptr) continue;
    pools.emplace(slice->pool(), Completeness(slice->pool()));
    counters_change |= slice->has_counters() || slice->uses_counters();
    AddNodes(*slice, affected);
  }
  if (removed != nullptr) Erase(removed);
  if (added != nullptr) Insert(added);
  for (const auto& [id, completeness] : pools) {
    PoolChanged(id);
    // Whether a pool is complete, and its counters, matter to all nodes that have devices of it.
    if (!counters_change && completeness == Completeness(id)) continue;
    const auto entry = pools_.find(id);
    if (entry == pools_.end()) continue;
    for (const auto& [other_name, other] : entry->second.slices) AddNodes(*other, affected);
  }
  if (bad_counters_ != bad_before) affected.reset();
  return affected;
}

SliceCatalog::CompleteGenerations SliceCatalog::Completeness(PoolId pool) const {
  CompleteGenerations complete;
  const auto entry = pools_.find(pool);
  if (entry == pools_.end()) return complete;
  std::map<int64_t, int64_t> numbers;  // By generation.
  for (const auto& [name, slice] : entry->second.slices) {
    const api::ResourcePool& described = slice->object().pool;
    complete[{described.generation, described.resource_slice_count}] = false;
    ++numbers[described.generation];
  }
  for (auto& [expected, is_complete] : complete)
    is_complete = numbers[expected.first] == expected.second;
  return complete;
}

void SliceCatalog::Erase(const SliceRef& slice) {
  slices_.erase(slice->name());
  const auto entry = pools_.find(slice->pool());
  if (entry != pools_.end()) {
    entry->second.slices.erase(slice->name());
    entry->second.with_counters.erase(slice->name());
    entry->second.using_counters -= slice->uses_counters();
  }
  shared_.erase(slice->name());
  const auto node = on_node_.find(slice->node_name());
  if (node == on_node_.end()) return;
  node->second.erase(slice->name());
  if (node->second.empty()) on_node_.erase(node);
}

void SliceCatalog::Insert(const SliceRef& slice) {
  slices_.emplace(slice->name(), slice);
  PoolEntry& entry = pools_[slice->pool()];
  entry.slices.emplace(slice->name(), slice);
  entry.using_counters += slice->uses_counters();
  if (IsIgnored(slice->object())) return;
  if (slice->has_counters()) {
    entry.with_counters.emplace(slice->name(), slice);
  } else if (slice->node_name().empty()) {
    shared_.emplace(slice->name(), slice);
  } else {
    on_node_[std::string(slice->node_name())].emplace(slice->name(), slice);
  }
}

void SliceCatalog::PoolChanged(PoolId id) {
  bad_counters_.erase(id);
  const auto found = pools_.find(id);
  if (found == pools_.end()) return;
  PoolEntry& entry = found->second;
  if (entry.slices.empty()) {
    pools_.erase(found);
    return;
  }
  entry.built.clear();
  entry.without_devices = nullptr;
  if (entry.with_counters.empty()) return;
  std::vector<SliceRef> counters;
  for (const auto& [name, slice] : entry.with_counters) counters.push_back(slice);
  entry.without_devices = See(entry, std::move(counters));
  if (entry.without_devices != nullptr && !entry.without_devices->usable())
    bad_counters_[id] = entry.without_devices->invalid;
}

SliceCatalog::Affected SliceCatalog::NodesOf(PoolId pool, DeviceId device) const {
  Affected nodes(std::in_place);
  const auto entry = pools_.find(pool);
  if (entry == pools_.end()) return nodes;
  // Devices that share counters depend on each other.
  const bool has_counters = !entry->second.with_counters.empty();
  for (const auto& [name, slice] : entry->second.slices) {
    if (has_counters ||
        std::ranges::find(slice->devices(), device, &Device::id) != slice->devices().end()) {
      AddNodes(*slice, nodes);
    }
  }
  return nodes;
}

NodePools SliceCatalog::PoolsOf(const api::Node& node) const {
  NodePools result;
  std::map<PoolId, std::vector<SliceRef>> relevant;
  auto add = [&](const SlicesByName& slices) {
    for (const auto& [name, slice] : slices) {
      const auto is_relevant = slice->IsRelevantTo(node);
      if (!is_relevant) {
        result.error = is_relevant.error().message;
        return false;
      }
      if (*is_relevant) relevant[slice->pool()].push_back(slice);
    }
    return true;
  };
  const auto own = on_node_.find(node.metadata.name);
  if (own != on_node_.end() && !add(own->second)) return result;
  if (!add(shared_)) return result;

  for (auto& [id, slices] : relevant) {
    const PoolEntry& entry = pools_.at(id);
    for (const auto& [name, slice] : entry.with_counters) slices.push_back(slice);
    // Those of the node come first: the first slice knows how many there are.
    std::ranges::sort(slices, {}, [](const SliceRef& slice) {
      const bool is_own = !slice->has_counters() && !slice->node_name().empty();
      return std::pair(!is_own, std::string_view(slice->name()));
    });
    if (auto pool = See(entry, std::move(slices))) result.pools.push_back(std::move(pool));
  }
  for (const auto& [id, is_invalid] : bad_counters_) {
    if (!relevant.contains(id)) result.pools.push_back(pools_.at(id).without_devices);
  }
  std::ranges::sort(result.pools,
                    [](const auto& a, const auto& b) { return PlaceOf(*a) < PlaceOf(*b); });
  result.shareable = own == on_node_.end();
  for (const auto& pool : result.pools) {
    result.has_invalid |= pool->invalid;
    if (!pool->usable()) continue;
    for (const Pool::Member& member : pool->devices) {
      result.candidates.push_back({pool.get(), &member});
      result.shareable &= !member.device->nodes.has_value();
    }
  }
  return result;
}

// Returns the pool that these slices are; null if there is a newer generation elsewhere.
std::shared_ptr<const Pool> SliceCatalog::See(const PoolEntry& entry,
                                              std::vector<SliceRef> relevant) const {
  int64_t generation = INT64_MIN;
  for (const SliceRef& slice : relevant)
    generation = std::max(generation, slice->object().pool.generation);
  std::erase_if(relevant, [&](const SliceRef& slice) {
    return slice->object().pool.generation < generation;
  });
  std::vector<const Slice*> key;
  for (const SliceRef& slice : relevant) key.push_back(slice.get());
  std::ranges::sort(key);
  // Nodes that changed leave unused entries behind.
  if (entry.built.size() % 64 == 63)
    std::erase_if(entry.built, [](const auto& other) { return other.second.expired(); });
  std::weak_ptr<const Pool>& built = entry.built[key];
  if (auto pool = built.lock()) return pool;
  auto pool = Build(entry, std::move(relevant));
  if (pool == nullptr) {
    entry.built.erase(key);
  } else {
    built = pool;
  }
  return pool;
}

std::shared_ptr<const Pool> SliceCatalog::Build(const PoolEntry& entry,
                                                std::vector<SliceRef> kept) const {
  const api::ResourceSlice& first = kept.front()->object();
  auto pool = std::make_shared<Pool>();
  pool->driver = first.driver;
  pool->name = first.pool.name;
  pool->id = kept.front()->pool();
  const int64_t expected = first.pool.resource_slice_count;
  bool all_seen = true;
  if (static_cast<int64_t>(kept.size()) != expected) {
    int64_t same = 0;
    for (const auto& [name, slice] : entry.slices) {
      const int64_t generation = slice->object().pool.generation;
      if (generation > first.pool.generation) return nullptr;
      same += generation == first.pool.generation;
    }
    if (same != expected) {
      pool->incomplete = true;
      return pool;
    }
    all_seen = static_cast<int64_t>(kept.size()) == same;
  }
  std::ranges::sort(kept, {},
                    [](const SliceRef& slice) { return std::string_view(slice->name()); });
  pool->slices = std::move(kept);
  if (auto error = Fill(*pool, entry, all_seen)) {
    pool->invalid = true;
    pool->invalid_reason = std::move(error->message);
    pool->devices.clear();
    pool->has_binding_conditions = false;
  }
  return pool;
}

// Returns why the pool is invalid, if it is.
std::optional<Error> SliceCatalog::Fill(Pool& pool, const PoolEntry& entry, bool all_seen) const {
  std::unordered_set<DeviceId> seen;
  for (const SliceRef& slice : pool.slices) {
    if (slice->has_counters()) continue;
    for (const Device& device : slice->devices()) {
      if (!seen.insert(device.id).second)
        return Error{"duplicate device name " + device.object->name};
      pool.has_binding_conditions |= device.object->binding_conditions.has_value();
      pool.devices.push_back({&device, {}});
    }
  }
  if (!gates_.partitionable_devices) return std::nullopt;
  for (const SliceRef& slice : pool.slices) {
    for (const api::CounterSet& set : slice->object().shared_counters) {
      if (Status added = pool.counters.AddSet(set); !added) return added.error();
    }
  }
  for (Pool::Member& member : pool.devices) {
    auto uses = pool.counters.UsesOf(*member.device->object);
    if (!uses) return uses.error();
    pool.counters.AddDevice(member.device->id, *uses);
    member.counters = *std::move(uses);
  }
  auto check_others = [&](const Slice& slice, bool count) -> std::optional<Error> {
    for (const Device& device : slice.devices()) {
      auto uses = pool.counters.UsesOf(*device.object);
      if (!uses) return uses.error();
      if (count) pool.counters.AddDevice(device.id, *std::move(uses));
    }
    return std::nullopt;
  };
  // Slices with counters have no devices, if the API server has accepted them.
  for (const SliceRef& slice : pool.slices) {
    if (!slice->has_counters()) continue;
    if (auto error = check_others(*slice, /*count=*/false)) return error;
  }
  if (all_seen || entry.using_counters == 0) return std::nullopt;
  const int64_t generation = pool.slices.front()->object().pool.generation;
  for (const auto& [name, slice] : entry.slices) {
    if (slice->object().pool.generation != generation || !slice->uses_counters() ||
        std::ranges::find(pool.slices, slice) != pool.slices.end()) {
      continue;
    }
    if (auto error = check_others(*slice, /*count=*/true)) return error;
    pool.slices.push_back(slice);
  }
  return std::nullopt;
}

}  // namespace berth::scheduler::devices
