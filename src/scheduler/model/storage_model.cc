#include "scheduler/model/storage_model.h"

#include <algorithm>

#include "base/check.h"
#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::model {
namespace {

// Calls visit(key, ephemeral) for each claim that the pods of a class use. Pods whose claims are
// named after them are alone in their class.
template <typename Visit>
void ForEachClaim(const PodClass& pod_class, Visit&& visit) {
  const api::ObjectMeta& meta = pod_class.example.metadata;
  for (const api::Volume& volume : pod_class.spec().volumes) {
    if (const auto claim = ClaimOf(meta.name, volume)) {
      visit(api::ObjectKey{meta.namespace_, claim->name}, claim->ephemeral);
    }
  }
}

}  // namespace

void ClaimUsers::Add(PodId pod, const PodClass& pod_class, Symbol node) {
  ForEachClaim(pod_class, [&](api::ObjectKey claim, bool ephemeral) {
    users_[std::move(claim)].push_back({pod, node, ephemeral});
  });
}

void ClaimUsers::Remove(PodId pod, const PodClass& pod_class, Symbol node) {
  ForEachClaim(pod_class, [&](const api::ObjectKey& claim, bool ephemeral) {
    const auto users = users_.find(claim);
    CHECK(users != users_.end());
    const auto user = std::ranges::find(users->second, User{pod, node, ephemeral});
    CHECK(user != users->second.end());
    users->second.erase(user);
    if (users->second.empty()) users_.erase(users);
  });
}

const std::vector<ClaimUsers::User>& ClaimUsers::Of(const api::ObjectKey& claim) const {
  static const std::vector<User> kNone;
  const auto found = users_.find(claim);
  return found == users_.end() ? kNone : found->second;
}

Storage::ClaimRef Storage::FindClaim(const api::ObjectKey& key) const {
  if (!assumed_claims_.empty()) {
    if (ClaimRef assumed = assumed_claims_.Find(key)) return assumed;
  }
  return claims_.FindRef(key);
}

Storage::VolumeRef Storage::Current(const StorageCatalog::Volume& volume) const {
  if (!assumed_volumes_.empty()) {
    if (VolumeRef assumed = assumed_volumes_.Find(ObjectName(volume.object->metadata))) {
      return assumed;
    }
  }
  return volume.object;
}

void Storage::Put(const std::shared_ptr<const api::PersistentVolume>& volume) {
  assumed_volumes_.Seen(*volume);
  const bool assumed = assumed_volumes_.Find(ObjectName(volume->metadata)) != nullptr;
  if (catalog_.Put(volume, assumed)) RecountVolume(volume->metadata.name);
}

template <>
void Storage::Remove<api::PersistentVolume>(const api::ObjectKey& key) {
  assumed_volumes_.Revert(key);
  catalog_.RemoveVolume(key.name);
  RecountVolume(key.name);
}

void Storage::Put(const std::shared_ptr<const api::PersistentVolumeClaim>& claim) {
  assumed_claims_.Seen(*claim);
  const api::ObjectKey key{claim->metadata.namespace_, claim->metadata.name};
  LinkClaim(key, claim->volume_name);
  RecountClaim(key);
}

template <>
void Storage::Remove<api::PersistentVolumeClaim>(const api::ObjectKey& key) {
  assumed_claims_.Revert(key);
  LinkClaim(key, "");
  RecountClaim(key);
}

void Storage::LinkClaim(const api::ObjectKey& key, const std::string& volume) {
  const auto before = volume_of_claim_.find(key);
  if (before != volume_of_claim_.end()) {
    if (before->second == volume) return;
    const auto claims = claims_of_volume_.find(before->second);
    claims->second.erase(key);
    if (claims->second.empty()) claims_of_volume_.erase(claims);
    volume_of_claim_.erase(before);
  }
  if (volume.empty()) return;
  volume_of_claim_.emplace(key, volume);
  claims_of_volume_[volume].insert(key);
}

void Storage::Put(const std::shared_ptr<const api::StorageClass>& storage_class) {
  const auto* before = catalog_.FindClass(storage_class->metadata.name);
  const bool recount =
      before == nullptr || before->object->provisioner != storage_class->provisioner;
  catalog_.Put(storage_class);
  if (recount) attached_.RecountAll();
}

template <>
void Storage::Remove<api::StorageClass>(const api::ObjectKey& key) {
  catalog_.RemoveClass(key.name);
  attached_.RecountAll();
}

void Storage::Put(const std::shared_ptr<const api::CsiStorageCapacity>& capacity) {
  catalog_.Put(capacity);
}

template <>
void Storage::Remove<api::CsiStorageCapacity>(const api::ObjectKey& key) {
  catalog_.RemoveCapacity(key);
}

void Storage::Put(const std::shared_ptr<const api::CsiNode>& csi_node) {
  attached_.PutLimits(*csi_node);
}

template <>
void Storage::Remove<api::CsiNode>(const api::ObjectKey& key) {
  attached_.RemoveLimits(key.name);
}

void Storage::Put(const std::shared_ptr<const api::VolumeAttachment>& attachment) {
  attached_.Put(attachment);
}

template <>
void Storage::Remove<api::VolumeAttachment>(const api::ObjectKey& key) {
  attached_.RemoveAttachment(key.name);
}

void Storage::PodPlaced(PodId pod, const PodClass& pod_class, Symbol node) {
  users_.Add(pod, pod_class, node);
  attached_.AddPod(pod, node);
}

void Storage::PodUnplaced(PodId pod, const PodClass& pod_class, Symbol node) {
  users_.Remove(pod, pod_class, node);
  attached_.RemovePod(pod, node);
}

void Storage::RecountVolume(const std::string& name) {
  attached_.RecountAttachmentsOf(name);
  const auto claims = claims_of_volume_.find(name);
  if (claims == claims_of_volume_.end()) return;
  for (const api::ObjectKey& key : claims->second) RecountClaim(key);
}

void Storage::RecountClaim(const api::ObjectKey& key) {
  for (const ClaimUsers::User& user : users_.Of(key)) attached_.Recount(user.node);
}

}  // namespace berth::scheduler::model
