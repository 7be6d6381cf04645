#include "scheduler/model/storage_catalog.h"

#include <algorithm>

#include "scheduler/model/node_table.h"
#include "scheduler/model/volume_claims.h"

namespace berth::scheduler::model {
namespace {

std::optional<CsiVolume> CountedAs(const api::PersistentVolume& volume,
                                   const InTreePlugin* in_tree) {
  std::optional<CsiVolume> counted;
  if (const auto* csi = std::get_if<api::CsiPersistentVolumeSource>(&volume.source)) {
    counted = CsiVolume{csi->driver, csi->volume_handle};
  } else if (in_tree != nullptr && in_tree->counted) {
    if (auto translated = TranslateToCsi(volume)) counted = *std::move(translated);
  }
  if (counted && (counted->driver.empty() || counted->handle.empty())) counted.reset();
  return counted;
}

template <typename Map>
const typename Map::mapped_type* Find(const Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

const StorageCatalog::Volume* StorageCatalog::FindVolume(const std::string& name) const {
  return Find(volumes_, name);
}

const StorageCatalog::Class* StorageCatalog::FindClass(const std::string& name) const {
  return Find(classes_, name);
}

std::vector<const StorageCatalog::Volume*> StorageCatalog::VolumesFor(
    const std::string& storage_class, const ObjectName& claim) const {
  std::vector<const Volume*> volumes;
  if (const Volumes* free = Find(free_of_class_, storage_class)) {
    for (const auto& [name, volume] : *free) volumes.push_back(volume);
  }
  const size_t free_count = volumes.size();
  const auto [first, last] = reserved_for_.equal_range(claim);
  for (auto reserved = first; reserved != last; ++reserved) {
    if (StorageClassOf(*reserved->second->object) == storage_class)
      volumes.push_back(reserved->second);
  }
  if (volumes.size() > free_count) {
    std::ranges::sort(volumes, {}, [](const Volume* volume) -> std::string_view {
      return volume->object->metadata.name;
    });
  }
  return volumes;
}

const StorageCatalog::Capacities& StorageCatalog::CapacitiesOf(
    const std::string& storage_class) const {
  static const Capacities kNone;
  const Capacities* found = Find(capacities_of_class_, storage_class);
  return found != nullptr ? *found : kNone;
}

Topology::KeyRef StorageCatalog::PivotKeyOf(const NodeLabelTerms& terms) {
  const LabelRequirement* pivot = terms.Pivot();
  return pivot == nullptr ? nullptr : nodes_.UseTopologyKey(symbols_.Text(pivot->key));
}

StorageCatalog::Volume StorageCatalog::Compile(std::shared_ptr<const api::PersistentVolume> ref) {
  Volume volume{.symbols = SymbolHolder(symbols_), .object = std::move(ref)};
  const api::PersistentVolume& object = *volume.object;
  auto compile = [&](const std::optional<api::NodeSelector>& affinity) {
    return affinity ? Affinity(std::in_place, *affinity, volume.symbols) : std::nullopt;
  };
  volume.affinity = compile(object.node_affinity);
  if (volume.affinity) volume.pivot_key = PivotKeyOf(*volume.affinity);
  volume.in_tree = InTreePluginOf(object);
  if (volume.in_tree != nullptr) {
    const auto translated = TranslateToCsi(object);
    if (translated) {
      volume.migrated_affinity = compile(TranslateAffinity(object));
    } else {
      volume.migrated_affinity = std::unexpected(translated.error());
    }
  }
  volume.counted = CountedAs(object, volume.in_tree);
  return volume;
}

bool StorageCatalog::Put(std::shared_ptr<const api::PersistentVolume> object, bool assumed) {
  const std::string name = object->metadata.name;
  Volume volume = Compile(std::move(object));
  auto entry = volumes_.find(name);
  const bool recount = entry == volumes_.end() || entry->second.counted != volume.counted;
  if (entry == volumes_.end()) {
    entry = volumes_.emplace(name, std::move(volume)).first;
  } else {
    Unlist(entry->second);
    entry->second = std::move(volume);
  }
  List(entry->second, assumed || !entry->second.object->claim_ref);
  return recount;
}

void StorageCatalog::RemoveVolume(const std::string& name) {
  const auto found = volumes_.find(name);
  if (found == volumes_.end()) return;
  Unlist(found->second);
  volumes_.erase(found);
}

void StorageCatalog::List(Volume& volume, bool as_free) {
  const api::PersistentVolume& object = *volume.object;
  volume.is_listed_as_free = as_free;
  if (as_free) {
    free_of_class_[StorageClassOf(object)].emplace(object.metadata.name, &volume);
  } else {
    const api::ObjectReference& claim = *object.claim_ref;
    reserved_for_.emplace(ObjectName(claim.namespace_, claim.name), &volume);
  }
}

void StorageCatalog::Unlist(const Volume& volume) {
  const api::PersistentVolume& object = *volume.object;
  if (volume.is_listed_as_free) {
    const auto siblings = free_of_class_.find(StorageClassOf(object));
    siblings->second.erase(object.metadata.name);
    if (siblings->second.empty()) free_of_class_.erase(siblings);
    return;
  }
  const api::ObjectReference& claim = *object.claim_ref;
  const auto [first, last] = reserved_for_.equal_range(ObjectName(claim.namespace_, claim.name));
  for (auto reserved = first; reserved != last; ++reserved) {
    if (reserved->second != &volume) continue;
    reserved_for_.erase(reserved);
    return;
  }
}

void StorageCatalog::Put(std::shared_ptr<const api::StorageClass> object) {
  Class added{.symbols = SymbolHolder(symbols_), .object = std::move(object)};
  const api::StorageClass& storage_class = *added.object;
  if (!storage_class.allowed_topologies.empty()) {
    added.allowed.emplace(storage_class.allowed_topologies, added.symbols);
  }
  classes_.insert_or_assign(storage_class.metadata.name, std::move(added));
}

void StorageCatalog::Put(std::shared_ptr<const api::CsiStorageCapacity> object) {
  api::ObjectKey key{object->metadata.namespace_, object->metadata.name};
  RemoveCapacity(key);
  const std::string& storage_class = object->storage_class_name;
  SymbolHolder symbols(symbols_);
  NodeLabelTerms nodes(object->node_topology, symbols);
  Topology::KeyRef pivot_key = PivotKeyOf(nodes);
  class_of_capacity_.emplace(key, storage_class);
  capacities_of_class_[storage_class].emplace(
      std::move(key),
      Capacity{std::move(symbols), std::move(object), std::move(nodes), std::move(pivot_key)});
}

void StorageCatalog::RemoveCapacity(const api::ObjectKey& key) {
  const auto found = class_of_capacity_.find(key);
  if (found == class_of_capacity_.end()) return;
  const auto siblings = capacities_of_class_.find(found->second);
  siblings->second.erase(key);
  if (siblings->second.empty()) capacities_of_class_.erase(siblings);
  class_of_capacity_.erase(found);
}

}  // namespace berth::scheduler::model
