// Storage: the part of the cluster model about volumes.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/meta.h"
#include "scheduler/model/attached_volumes.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_class.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/model/storage_catalog.h"

namespace berth::scheduler::model {

// ClaimUsers records which placed pods use which PersistentVolumeClaim.
class ClaimUsers {
 public:
  struct User {
    PodId pod;
    Symbol node;             // Where it was placed; the node need not exist, but its row does.
    bool ephemeral = false;  // The claim was created for this pod.
    friend bool operator==(const User&, const User&) = default;
  };

  // Record that `pod` was placed on `node`, or no longer is.
  void Add(PodId pod, const PodClass& pod_class, Symbol node);
  void Remove(PodId pod, const PodClass& pod_class, Symbol node);

  // In no particular order; a pod that names a claim twice is listed twice.
  const std::vector<User>& Of(const api::ObjectKey& claim) const;

 private:
  std::map<api::ObjectKey, std::vector<User>> users_;
};

// Storage combines the compiled storage objects (catalog), the pods that use claims (users), the
// volumes attached to nodes (attached), and objects that are assumed until the API shows them.
//
// Updated by Cluster; at any time it equals what would be computed from scratch out of the objects,
// the placed pods and the assumptions.
class Storage {
 public:
  using VolumeRef = std::shared_ptr<const api::PersistentVolume>;
  using ClaimRef = std::shared_ptr<const api::PersistentVolumeClaim>;

  // All must outlive this. `claims` holds the claims as the API shows them.
  Storage(NodeTable& nodes, const PodTable& pods, const Objects<api::PersistentVolumeClaim>& claims,
          SymbolTable& symbols)
      : claims_(claims), catalog_(nodes, symbols), attached_(pods, volumes_, catalog_, symbols) {}

  const StorageCatalog& catalog() const { return catalog_; }
  const ClaimUsers& users() const { return users_; }
  const PodCsiVolumes& pod_volumes() const { return volumes_; }
  const AttachedVolumes& attached() const { return attached_; }

  // The objects with all assumed writes. FindClaim returns null if there is none.
  ClaimRef FindClaim(const api::ObjectKey& key) const;
  VolumeRef Current(const StorageCatalog::Volume& volume) const;

  // --- assumptions ---

  void Assume(VolumeRef volume) { assumed_volumes_.Assume(std::move(volume)); }
  void Assume(ClaimRef claim) { assumed_claims_.Assume(std::move(claim)); }
  void RevertVolume(const std::string& name) { assumed_volumes_.Revert({"", name}); }
  void RevertClaim(const api::ObjectKey& key) { assumed_claims_.Revert(key); }

  // --- changes: Cluster calls these after the objects themselves have changed ---

  void Put(const std::shared_ptr<const api::PersistentVolume>& volume);
  void Put(const std::shared_ptr<const api::PersistentVolumeClaim>& claim);
  void Put(const std::shared_ptr<const api::StorageClass>& storage_class);
  void Put(const std::shared_ptr<const api::CsiStorageCapacity>& capacity);
  void Put(const std::shared_ptr<const api::CsiNode>& csi_node);
  void Put(const std::shared_ptr<const api::VolumeAttachment>& attachment);
  template <typename T>
  void Put(const std::shared_ptr<const T>&) {}  // Other kinds are not about storage.

  template <typename T>
  void Remove(const api::ObjectKey&) {}

  // `pod` was placed on `node`, or no longer is.
  void PodPlaced(PodId pod, const PodClass& pod_class, Symbol node);
  void PodUnplaced(PodId pod, const PodClass& pod_class, Symbol node);

 private:
  void RecountVolume(const std::string& name);
  void RecountClaim(const api::ObjectKey& key);
  void LinkClaim(const api::ObjectKey& key, const std::string& volume);

  const Objects<api::PersistentVolumeClaim>& claims_;
  StorageCatalog catalog_;
  ClaimUsers users_;
  PodCsiVolumes volumes_{claims_, catalog_};
  AttachedVolumes attached_;
  AssumeCache<api::PersistentVolume> assumed_volumes_;
  AssumeCache<api::PersistentVolumeClaim> assumed_claims_;

  // Which claims name a volume, and which volume a claim names.
  std::map<std::string, std::set<api::ObjectKey>> claims_of_volume_;
  std::map<api::ObjectKey, std::string> volume_of_claim_;
};

template <>
void Storage::Remove<api::PersistentVolume>(const api::ObjectKey& key);
template <>
void Storage::Remove<api::PersistentVolumeClaim>(const api::ObjectKey& key);
template <>
void Storage::Remove<api::StorageClass>(const api::ObjectKey& key);
template <>
void Storage::Remove<api::CsiStorageCapacity>(const api::ObjectKey& key);
template <>
void Storage::Remove<api::CsiNode>(const api::ObjectKey& key);
template <>
void Storage::Remove<api::VolumeAttachment>(const api::ObjectKey& key);

}  // namespace berth::scheduler::model
