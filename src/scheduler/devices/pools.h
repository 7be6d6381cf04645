// Pools of devices as nodes see them: SliceCatalog holds the slices of the cluster, and gathers
// those that a node can use.
//
// What a node sees of a pool depends on its generation, on whether all of its slices are there, and
// on which of them are for the node. Nodes that see the same share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/node.h"
#include "api/resource_slice.h"
#include "base/result.h"
#include "base/string_hash.h"
#include "scheduler/devices/counters.h"
#include "scheduler/devices/device_names.h"
#include "scheduler/devices/gates.h"
#include "scheduler/devices/slice.h"

namespace berth::scheduler::devices {

using SliceRef = std::shared_ptr<const Slice>;

// A pool as some nodes see it.
struct Pool {
  std::string driver;
  std::string name;
  PoolId id;
  bool incomplete = false;  // Slices are missing: its devices cannot be used.
  bool invalid = false;     // Slices contradict each other: the same.
  std::string invalid_reason;
  // Some device has binding conditions: all other pools come first.
  bool has_binding_conditions = false;

  struct Member {
    const Device* device = nullptr;
    CounterUses counters;
  };
  std::vector<Member> devices;  // Those of slices for the node, in order.
  PoolCounters counters;
  std::vector<SliceRef> slices;  // That the devices are part of.

  bool usable() const { return !incomplete && !invalid; }
  std::string ToString() const { return driver + "/" + name; }
};

// The pools that a node can use, in the order in which devices are tried.
struct NodePools {
  std::vector<std::shared_ptr<const Pool>> pools;
  // Why they cannot be determined: a node selector does not parse.
  std::optional<std::string> error;

  // The devices of usable pools, in order.
  struct Candidate {
    const Pool* pool = nullptr;
    const Pool::Member* member = nullptr;
    const Device& device() const { return *member->device; }
  };
  std::vector<Candidate> candidates;
  bool has_invalid = false;
  // Nodes that see the same pools are alike: no device is for this node alone, and none chooses its
  // nodes.
  bool shareable = true;
};

class SliceCatalog {
 public:
  // All must outlive this.
  SliceCatalog(DeviceNames& names, DeviceLooks& looks, const Gates& gates)
      : names_(names), looks_(looks), gates_(gates) {}

  // The nodes whose pools a change may have changed, by name; all if absent.
  using Affected = std::optional<std::set<std::string>>;
  Affected Put(std::shared_ptr<const api::ResourceSlice> slice);
  Affected Remove(const std::string& name);

  // The nodes whose allocations depend on whether the device of the pool is allocated.
  Affected NodesOf(PoolId pool, DeviceId device) const;

  NodePools PoolsOf(const api::Node& node) const;

  const std::map<std::string, SliceRef>& slices() const { return slices_; }
  // Calls visit(slice) for the slices that name `node`, and those that name none, by name.
  template <typename Visit>
  void ForEachSliceFor(std::string_view node, Visit&& visit) const {
    if (const auto found = on_node_.find(node); found != on_node_.end()) {
      for (const auto& [name, slice] : found->second) visit(*slice);
    }
    for (const auto& [name, slice] : shared_) visit(*slice);
  }

 private:
  using SlicesByName = std::map<std::string, SliceRef>;
  struct PoolEntry {
    SlicesByName slices;
    SlicesByName with_counters;
    size_t using_counters = 0;  // Slices with devices that draw on counters.
    // What a node sees for which no slice has devices: only counters.
    mutable std::shared_ptr<const Pool> without_devices;
    // Pools that were built for some nodes, by the slices for them.
    mutable std::map<std::vector<const Slice*>, std::weak_ptr<const Pool>> built;
  };

  bool IsIgnored(const api::ResourceSlice& slice) const;
  // By generation and the number of slices that some of them expect: whether there are as many.
  using CompleteGenerations = std::map<std::pair<int64_t, int64_t>, bool>;
  CompleteGenerations Completeness(PoolId pool) const;
  Affected Change(const std::string& name, const SliceRef& added);
  void Erase(const SliceRef& slice);
  void Insert(const SliceRef& slice);
  void PoolChanged(PoolId id);
  std::shared_ptr<const Pool> See(const PoolEntry& entry, std::vector<SliceRef> relevant) const;
  std::shared_ptr<const Pool> Build(const PoolEntry& entry, std::vector<SliceRef> kept) const;
  std::optional<Error> Fill(Pool& pool, const PoolEntry& entry, bool all_seen) const;

  DeviceNames& names_;
  DeviceLooks& looks_;
  const Gates gates_;
  SlicesByName slices_;
  // Slices with devices that name a node; and those with devices that name none.
  std::unordered_map<std::string, SlicesByName, StringHash, std::equal_to<>> on_node_;
  SlicesByName shared_;
  std::map<PoolId, PoolEntry> pools_;
  // Pools whose counters alone are incomplete (false) or invalid (true): every node sees which.
  std::map<PoolId, bool> bad_counters_;
};

}  // namespace berth::scheduler::devices
