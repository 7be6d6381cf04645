// StorageCatalog holds volumes, storage classes and storage capacities as rules read them:
// conditions on nodes are compiled, in-tree volumes are translated, and volumes and capacities are
// grouped by class.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/storage.h"
#include "scheduler/model/node_selector.h"
#include "scheduler/model/object_name.h"
#include "scheduler/model/topology.h"
#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::model {

class NodeTable;

class StorageCatalog {
 public:
  // Both must outlive this.
  StorageCatalog(NodeTable& nodes, SymbolTable& symbols) : nodes_(nodes), symbols_(symbols) {}
  StorageCatalog(const StorageCatalog&) = delete;
  StorageCatalog& operator=(const StorageCatalog&) = delete;

  using Affinity = std::optional<NodeLabelTerms>;  // Any node if absent.

  struct Volume {
    SymbolHolder symbols;  // Of the affinities.
    std::shared_ptr<const api::PersistentVolume> object;
    Affinity affinity = {};
    Topology::KeyRef pivot_key = nullptr;  // The nodes by the label of the affinity's Pivot.
    // For in-tree volumes that are migrated to a CSI driver: the in-tree plugin, and the affinity
    // on nodes where the driver serves the volume, or why it cannot be translated.
    const InTreePlugin* in_tree = nullptr;
    Result<Affinity> migrated_affinity = {};
    bool is_listed_as_free = false;  // Rather than as reserved for a claim.
    // The volume that counts against a driver's limit, if any.
    std::optional<CsiVolume> counted = {};
  };
  struct Class {
    SymbolHolder symbols;  // Of the topologies.
    std::shared_ptr<const api::StorageClass> object;
    Affinity allowed = {};
  };
  struct Capacity {
    SymbolHolder symbols;  // Of the terms.
    std::shared_ptr<const api::CsiStorageCapacity> object;
    NodeLabelTerms nodes;
    Topology::KeyRef pivot_key = nullptr;  // The nodes by the label of the terms' Pivot.
  };
  using Volumes = std::map<std::string_view, const Volume*>;  // By name.
  using Capacities = std::map<api::ObjectKey, Capacity>;

  // Return null if there is none.
  const Volume* FindVolume(const std::string& name) const;
  const Class* FindClass(const std::string& name) const;
  // The capacities of a class, which need not exist.
  const Capacities& CapacitiesOf(const std::string& storage_class) const;
  // The volumes of a class that `claim` may get, by name: those that are not reserved for a claim,
  // of which it may get most, and those that are reserved for it. There may be some others.
  std::vector<const Volume*> VolumesFor(const std::string& storage_class,
                                        const ObjectName& claim) const;

  // Returns whether the volume that counts against limits changed. `assumed`: there is a later
  // version, so that it may be reserved for another claim.
  bool Put(std::shared_ptr<const api::PersistentVolume> volume, bool assumed = false);
  void Put(std::shared_ptr<const api::StorageClass> storage_class);
  void Put(std::shared_ptr<const api::CsiStorageCapacity> capacity);
  void RemoveVolume(const std::string& name);
  void RemoveClass(const std::string& name) { classes_.erase(name); }
  void RemoveCapacity(const api::ObjectKey& key);

 private:
  Topology::KeyRef PivotKeyOf(const NodeLabelTerms& terms);
  Volume Compile(std::shared_ptr<const api::PersistentVolume> volume);
  void List(Volume& volume, bool as_free);
  void Unlist(const Volume& volume);

  NodeTable& nodes_;
  SymbolTable& symbols_;
  std::map<std::string, Volume> volumes_;
  // A claim may get one of few volumes, even if there are many. All names are those of the volumes.
  std::map<std::string, Volumes> free_of_class_;
  std::unordered_multimap<ObjectName, const Volume*, ObjectNameHash, ObjectNameEqual> reserved_for_;
  std::map<std::string, Class> classes_;
  std::map<std::string, Capacities> capacities_of_class_;
  std::map<api::ObjectKey, std::string> class_of_capacity_;
};

}  // namespace berth::scheduler::model
