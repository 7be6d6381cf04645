// Devices: the part of the cluster model about claims, device classes and slices.
//
// Updated by Cluster; at any time it equals what would be computed from scratch out of the objects,
// the assumed claims and the allocations in flight. What nodes see of pools, compiled claims and
// the results of selectors are made when they are first needed.
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

#include "api/meta.h"
#include "api/node.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/resource_slice.h"
#include "base/result.h"
#include "scheduler/devices/allocated_devices.h"
#include "scheduler/devices/device_names.h"
#include "scheduler/devices/extended_resources.h"
#include "scheduler/devices/gates.h"
#include "scheduler/devices/pools.h"
#include "scheduler/devices/requests.h"
#include "scheduler/devices/selectors.h"
#include "scheduler/model/device_claims.h"
#include "scheduler/model/features.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/node_table.h"

namespace berth::scheduler::model {

class Devices {
 public:
  using PoolsRef = std::shared_ptr<const devices::NodePools>;
  using CompiledRef = std::shared_ptr<const devices::CompiledClaim>;

  // `nodes` and `symbols` must outlive this.
  Devices(const NodeTable& nodes, const SymbolTable& symbols, const Features& features);

  // --- claims ---

  // Returns the claim with all assumed writes; null if there is none.
  ClaimRef FindClaim(const ObjectName& name) const { return claims_.Find(name); }
  const ClaimCache& claims() const { return claims_; }
  // Returns the claim that was made for the extended resources of the pod; null if there is none.
  ClaimRef FindSpecialClaim(const api::Pod& pod) const;

  // `claim` is what a write returned: see ClaimCache::Assume.
  Status Assume(ClaimRef claim);
  // Assumes it with the next TakeAssumedChanges: what a cycle has found out must hold to its end.
  void AssumeAfterCycle(ClaimRef claim) { assumed_after_cycle_.push_back(std::move(claim)); }

  // See InFlightAllocations. The devices of an allocation in flight count as allocated.
  void AddInFlight(const ClaimRef& claim, std::optional<api::ObjectKey> group = std::nullopt);
  // Returns whether an allocation was in flight and none is left.
  bool RemoveInFlight(const std::string& uid, bool forced);
  const InFlightAllocations& in_flight() const { return in_flight_; }
  bool IsInFlight(const std::string& uid) const { return in_flight_.Contains(uid); }
  // The uids of claims that bindings are writing to.
  std::set<std::string>& being_written() { return being_written_; }

  // Returns the changes of claims by Assume since the last call: events for the queue, before the
  // API shows them. Not to be called during a cycle.
  bool has_assumed_changes() const {
    return !assumed_changes_.empty() || !assumed_after_cycle_.empty();
  }
  std::vector<ClaimChange> TakeAssumedChanges();

  // --- devices ---

  const devices::Gates& gates() const { return gates_; }
  const devices::AllocatedDevices& allocated() const { return allocated_; }
  const devices::SliceCatalog& slices() const { return slices_; }
  // Empty without the feature DRAExtendedResource.
  const devices::ExtendedResources& extended_resources() const { return extended_resources_; }
  // Returns null if there is no such class.
  devices::ClassRef FindClass(const std::string& name) const;

  // Returns the pools that the node of a present row can use; the same for all nodes that are alike
  // (NodePools::shareable).
  PoolsRef PoolsOf(NodeRow row) const;
  // Returns what claims with this spec request; the same for equal specs, while it is in use.
  CompiledRef Compile(std::shared_ptr<const api::ResourceClaimSpec> spec) const;
  // Returns a selector, compiled once for all with the same text.
  std::shared_ptr<devices::Selector> UseSelector(const std::string& expression) const {
    return selectors_.Use(expression);
  }

  // The rows for which an allocation may have another result than before, and a number that changes
  // if that holds for all rows.
  const RowChanges& changes() const { return changes_; }
  uint64_t epoch() const { return epoch_; }

  // --- changes: Cluster calls these after the objects themselves have changed ---

  void Put(const std::shared_ptr<const api::ResourceClaim>& claim);
  void Put(const std::shared_ptr<const api::DeviceClass>& device_class);
  void Put(const std::shared_ptr<const api::ResourceSlice>& slice);
  template <typename T>
  void Put(const std::shared_ptr<const T>&) {}  // Other kinds are not about devices.

  template <typename T>
  void Remove(const api::ObjectKey&) {}

  // The node of `row` was added, replaced or removed; `before` is null if there was none.
  void NodeChanged(NodeRow row, const api::Node* before, const api::Node* after);

 private:
  // Claims with specs that differ: far more than templates of a cluster.
  static constexpr size_t kMaxCompiled = 1024;

  void ClaimChanged(const ClaimChange& change);
  void AllocationsChanged();
  void ClassesChanged();
  void RowChanged(NodeRow row);
  void PoolsChanged(const devices::SliceCatalog::Affected& nodes);
  PoolsRef Shared(PoolsRef pools) const;
  bool in_use() const { return !slices_.slices().empty() || !classes_by_name_.empty(); }

  const NodeTable& nodes_;
  const SymbolTable& symbols_;
  const devices::Gates gates_;
  const bool has_extended_resources_;

  mutable devices::SelectorTable selectors_;
  devices::DeviceLooks looks_{selectors_};
  devices::DeviceNames names_;
  devices::SliceCatalog slices_{names_, looks_, gates_};
  devices::AllocatedDevices allocated_;
  devices::ExtendedResources extended_resources_;
  std::map<std::string, devices::ClassRef, std::less<>> classes_by_name_;

  ClaimCache claims_;
  InFlightAllocations in_flight_;
  std::set<std::string> being_written_;
  std::vector<ClaimChange> assumed_changes_;
  std::vector<ClaimRef> assumed_after_cycle_;
  // By the uid of the pod.
  std::unordered_map<std::string, std::set<api::ObjectKey>> special_claims_;

  RowChanges changes_;
  uint64_t epoch_ = 0;
  mutable std::vector<PoolsRef> pools_of_;  // By row; null if not needed yet.
  // Those that are shareable, by their pools.
  mutable std::map<std::vector<const devices::Pool*>, std::weak_ptr<const devices::NodePools>>
      shared_pools_;
  mutable std::unordered_map<std::string, CompiledRef> compiled_;
  mutable CompiledRef last_compiled_;
};

template <>
void Devices::Remove<api::ResourceClaim>(const api::ObjectKey& key);
template <>
void Devices::Remove<api::DeviceClass>(const api::ObjectKey& key);
template <>
void Devices::Remove<api::ResourceSlice>(const api::ObjectKey& key);

}  // namespace berth::scheduler::model
