#include "scheduler/model/device_model.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "scheduler/model/key_writer.h"

namespace berth::scheduler::model {
namespace {

devices::Gates GatesOf(const Features& features) {
  return {.prioritized_list = features.dra_prioritized_list,
          .partitionable_devices = features.dra_partitionable_devices,
          .device_taints = features.dra_device_taints,
          .consumable_capacity = features.dra_consumable_capacity,
          .binding_conditions =
              features.dra_device_binding_conditions && features.dra_resource_claim_device_status};
}

// Returns the uid of the pod for whose extended resources the claim was made; empty if it was not.
std::string_view SpecialOwnerOf(const ClaimRef& claim) {
  if (claim == nullptr) return {};
  const auto& annotations = claim->metadata.annotations;
  const auto found = annotations.find("resource.kubernetes.io/extended-resource-claim");
  if (found == annotations.end() || found->second != "true") return {};
  const auto owner = std::ranges::find_if(
      claim->metadata.owner_references,
      [](const api::OwnerReference& other) { return other.controller.value_or(false); });
  return owner == claim->metadata.owner_references.end() ? std::string_view() : owner->uid;
}

}  // namespace

Devices::Devices(const NodeTable& nodes, const SymbolTable& symbols, const Features& features)
    : nodes_(nodes),
      symbols_(symbols),
      gates_(GatesOf(features)),
      has_extended_resources_(features.dra_extended_resource),
      allocated_(names_, gates_.consumable_capacity) {}

// --- claims ---

ClaimRef Devices::FindSpecialClaim(const api::Pod& pod) const {
  const auto found = special_claims_.find(pod.metadata.uid);
  if (found == special_claims_.end()) return nullptr;
  for (const api::ObjectKey& key : found->second) {
    ClaimRef claim = claims_.Find(key);
    const bool owned = std::ranges::any_of(
        claim->metadata.owner_references, [&](const api::OwnerReference& owner) {
          return owner.name == pod.metadata.name && owner.controller.value_or(false) &&
                 owner.uid == pod.metadata.uid;
        });
    if (owned) return claim;
  }
  return nullptr;
}

Status Devices::Assume(ClaimRef claim) {
  auto change = claims_.Assume(std::move(claim));
  if (!change) return std::unexpected(change.error());
  ClaimChanged(*change);
  assumed_changes_.push_back(*std::move(change));
  return {};
}

std::vector<ClaimChange> Devices::TakeAssumedChanges() {
  // Those that fail are gone, or the API has shown newer versions.
  for (ClaimRef& claim : std::exchange(assumed_after_cycle_, {}))
    std::ignore = Assume(std::move(claim));
  return std::exchange(assumed_changes_, {});
}

void Devices::AddInFlight(const ClaimRef& claim, std::optional<api::ObjectKey> group) {
  if (!in_flight_.Add(claim, std::move(group))) return;
  allocated_.Add(*claim->status.allocation);
  AllocationsChanged();
}

bool Devices::RemoveInFlight(const std::string& uid, bool forced) {
  const ClaimRef removed = in_flight_.Remove(uid, forced);
  if (removed == nullptr) return false;
  allocated_.Remove(*removed->status.allocation);
  AllocationsChanged();
  return true;
}

void Devices::Put(const std::shared_ptr<const api::ResourceClaim>& claim) {
  if (const auto change = claims_.Put(claim)) ClaimChanged(*change);
}

template <>
void Devices::Remove<api::ResourceClaim>(const api::ObjectKey& key) {
  if (const auto change = claims_.Remove(key)) ClaimChanged(*change);
}

void Devices::ClaimChanged(const ClaimChange& change) {
  const auto* before = change.before == nullptr || !change.before->status.allocation
                           ? nullptr
                           : &*change.before->status.allocation;
  const auto* after = change.after == nullptr || !change.after->status.allocation
                          ? nullptr
                          : &*change.after->status.allocation;
  const bool same = before != nullptr && after != nullptr && before->results == after->results;
  if (!same) {
    // Added first, so that devices that both have are not free in between.
    if (after != nullptr) allocated_.Add(*after);
    if (before != nullptr) allocated_.Remove(*before);
    AllocationsChanged();
  }

  const std::string_view old_owner = SpecialOwnerOf(change.before);
  const std::string_view new_owner = SpecialOwnerOf(change.after);
  if (old_owner == new_owner && (change.before != nullptr) == (change.after != nullptr)) return;
  if (!old_owner.empty()) {
    const auto found = special_claims_.find(std::string(old_owner));
    found->second.erase(ClaimKey(*change.before));
    if (found->second.empty()) special_claims_.erase(found);
  }
  if (!new_owner.empty()) special_claims_[std::string(new_owner)].insert(ClaimKey(*change.after));
}

void Devices::AllocationsChanged() {
  for (const auto& [pool, device] : allocated_.TakeChanged()) {
    const auto nodes = slices_.NodesOf(pool, device);
    if (!nodes) {
      ++epoch_;
      return;
    }
    for (const std::string& name : *nodes) RowChanged(nodes_.Find(symbols_.Find(name)));
  }
}

void Devices::RowChanged(NodeRow row) {
  if (row.valid()) changes_.Add(row, nodes_.rows());
}

// --- classes ---

devices::ClassRef Devices::FindClass(const std::string& name) const {
  const auto found = classes_by_name_.find(name);
  return found == classes_by_name_.end() ? nullptr : found->second;
}

void Devices::Put(const std::shared_ptr<const api::DeviceClass>& device_class) {
  const devices::ClassRef before =
      std::exchange(classes_by_name_[device_class->metadata.name], device_class);
  if (has_extended_resources_) extended_resources_.Put(before, device_class);
  ClassesChanged();
}

template <>
void Devices::Remove<api::DeviceClass>(const api::ObjectKey& key) {
  const auto found = classes_by_name_.find(key.name);
  if (found == classes_by_name_.end()) return;
  if (has_extended_resources_) extended_resources_.Remove(found->second);
  classes_by_name_.erase(found);
  ClassesChanged();
}

void Devices::ClassesChanged() {
  ++epoch_;
  compiled_.clear();
  last_compiled_ = nullptr;
}

Devices::CompiledRef Devices::Compile(std::shared_ptr<const api::ResourceClaimSpec> spec) const {
  // Pods of one template follow each other.
  if (last_compiled_ != nullptr && *last_compiled_->spec == *spec) return last_compiled_;
  std::string key;
  KeyWriter(key).Put(*spec);
  if (const auto found = compiled_.find(key); found != compiled_.end())
    return last_compiled_ = found->second;
  if (compiled_.size() >= kMaxCompiled) {
    std::erase_if(compiled_, [](const auto& other) { return other.second.use_count() == 1; });
  }
  auto compiled = std::make_shared<const devices::CompiledClaim>(devices::CompileClaim(
      std::move(spec), [this](const std::string& name) { return FindClass(name); }, selectors_,
      gates_));
  compiled_.emplace(std::move(key), compiled);
  return last_compiled_ = std::move(compiled);
}

// --- slices and nodes ---

void Devices::Put(const std::shared_ptr<const api::ResourceSlice>& slice) {
  PoolsChanged(slices_.Put(slice));
}

template <>
void Devices::Remove<api::ResourceSlice>(const api::ObjectKey& key) {
  PoolsChanged(slices_.Remove(key.name));
}

void Devices::PoolsChanged(const devices::SliceCatalog::Affected& nodes) {
  if (!nodes) {
    ++epoch_;
    pools_of_.clear();
    shared_pools_.clear();
    return;
  }
  for (const std::string& name : *nodes) {
    const NodeRow row = nodes_.Find(symbols_.Find(name));
    if (row.valid() && row.index() < pools_of_.size()) pools_of_[row.index()] = nullptr;
    RowChanged(row);
  }
}

void Devices::NodeChanged(NodeRow row, const api::Node* before, const api::Node* after) {
  if (!in_use() || !row.valid()) return;
  const bool same_pools =
      before != nullptr && after != nullptr && before->metadata.labels == after->metadata.labels;
  if (!same_pools && row.index() < pools_of_.size()) pools_of_[row.index()] = nullptr;
  if (!same_pools || before->status.allocatable != after->status.allocatable) RowChanged(row);
}

Devices::PoolsRef Devices::PoolsOf(NodeRow row) const {
  if (row.index() >= pools_of_.size()) pools_of_.resize(nodes_.rows());
  PoolsRef& pools = pools_of_[row.index()];
  if (pools == nullptr) {
    pools = Shared(
        std::make_shared<const devices::NodePools>(slices_.PoolsOf(*nodes_.info(row).object)));
  }
  return pools;
}

// Returns equal pools that another node has, or `pools`.
Devices::PoolsRef Devices::Shared(PoolsRef pools) const {
  if (!pools->shareable || pools->error) return pools;
  std::vector<const devices::Pool*> key;
  key.reserve(pools->pools.size());
  for (const auto& pool : pools->pools) key.push_back(pool.get());
  // Views that no node has any more; few nodes have one of their own.
  if (shared_pools_.size() % 64 == 63)
    std::erase_if(shared_pools_, [](const auto& other) { return other.second.expired(); });
  // Pools that are alive are at different addresses: the key tells whether they are the same.
  std::weak_ptr<const devices::NodePools>& known = shared_pools_[std::move(key)];
  if (PoolsRef shared = known.lock()) return shared;
  known = pools;
  return pools;
}

}  // namespace berth::scheduler::model
