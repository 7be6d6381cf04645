#include "twin/world.h"

#include <type_traits>

namespace berth::twin {
namespace {

Table<api::Node>& TableOf(World& world, const api::Node*) { return world.nodes; }
Table<api::Namespace>& TableOf(World& world, const api::Namespace*) { return world.namespaces; }
Table<api::Service>& TableOf(World& world, const api::Service*) { return world.services; }
Table<api::ReplicationController>& TableOf(World& world, const api::ReplicationController*) {
  return world.replication_controllers;
}
Table<api::ReplicaSet>& TableOf(World& world, const api::ReplicaSet*) { return world.replica_sets; }
Table<api::StatefulSet>& TableOf(World& world, const api::StatefulSet*) {
  return world.stateful_sets;
}
Table<api::PersistentVolume>& TableOf(World& world, const api::PersistentVolume*) {
  return world.volumes;
}
Table<api::PersistentVolumeClaim>& TableOf(World& world, const api::PersistentVolumeClaim*) {
  return world.claims;
}
Table<api::StorageClass>& TableOf(World& world, const api::StorageClass*) {
  return world.storage_classes;
}
Table<api::CsiNode>& TableOf(World& world, const api::CsiNode*) { return world.csi_nodes; }
Table<api::CsiDriver>& TableOf(World& world, const api::CsiDriver*) { return world.csi_drivers; }
Table<api::CsiStorageCapacity>& TableOf(World& world, const api::CsiStorageCapacity*) {
  return world.csi_capacities;
}
Table<api::VolumeAttachment>& TableOf(World& world, const api::VolumeAttachment*) {
  return world.attachments;
}
Table<api::PodDisruptionBudget>& TableOf(World& world, const api::PodDisruptionBudget*) {
  return world.budgets;
}

void RemovePod(World& world, const api::ObjectKey& key) {
  for (auto& [node, pods] : world.placed) pods.erase(key);
  for (auto& [node, pods] : world.nominated) pods.erase(key);
}

void PutPod(World& world, const api::ObjectKey& key, const api::Ref<api::Pod>& pod) {
  RemovePod(world, key);
  if (pod->finished()) return;
  const std::string& node = pod->spec.node_name;
  const std::string& nominated = pod->status.nominated_node_name;
  if (!node.empty()) {
    world.placed[node][key] = pod;
  } else if (!nominated.empty()) {
    world.nominated[nominated][key] = pod;
  }
}

template <typename T>
constexpr bool kIsPod = std::is_same_v<T, api::Ref<api::Pod>>;
// No rule looks at them: pods carry their priority, and no devices are allocated.
template <typename T>
constexpr bool kIsIgnored = std::is_same_v<T, api::Ref<api::PriorityClass>> ||
                            std::is_same_v<T, api::Ref<api::ResourceClaim>> ||
                            std::is_same_v<T, api::Ref<api::DeviceClass>> ||
                            std::is_same_v<T, api::Ref<api::ResourceSlice>>;

const Table<api::Pod>& PodsAt(const std::map<std::string, Table<api::Pod>, std::less<>>& pods,
                              std::string_view node) {
  static const Table<api::Pod> kNone;
  const auto found = pods.find(node);
  return found == pods.end() ? kNone : found->second;
}

}  // namespace

void World::Put(const api::Object& object) {
  const api::ObjectKey key = api::KeyOf(object);
  std::visit(
      [&]<typename Ref>(const Ref& ref) {
        if constexpr (kIsPod<Ref>) {
          PutPod(*this, key, ref);
        } else if constexpr (!kIsIgnored<Ref>) {
          TableOf(*this, ref.get())[key] = ref;
        }
      },
      object);
}

void World::Remove(const api::Object& object) {
  const api::ObjectKey key = api::KeyOf(object);
  std::visit(
      [&]<typename Ref>(const Ref& ref) {
        if constexpr (kIsPod<Ref>) {
          RemovePod(*this, key);
        } else if constexpr (!kIsIgnored<Ref>) {
          TableOf(*this, ref.get()).erase(key);
        }
      },
      object);
}

const Table<api::Pod>& World::PodsOn(std::string_view node) const { return PodsAt(placed, node); }

const Table<api::Pod>& World::NominatedTo(std::string_view node) const {
  return PodsAt(nominated, node);
}

}  // namespace berth::twin
