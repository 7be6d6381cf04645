#include "scheduler/reference/snapshot.h"

#include <deque>
#include <type_traits>
#include <utility>

namespace berth::scheduler::reference {
namespace {

Table<api::Node>& TableOf(Snapshot& snapshot, const api::Node*) { return snapshot.nodes; }
Table<api::Namespace>& TableOf(Snapshot& snapshot, const api::Namespace*) {
  return snapshot.namespaces;
}
Table<api::Service>& TableOf(Snapshot& snapshot, const api::Service*) { return snapshot.services; }
Table<api::ReplicationController>& TableOf(Snapshot& snapshot, const api::ReplicationController*) {
  return snapshot.replication_controllers;
}
Table<api::ReplicaSet>& TableOf(Snapshot& snapshot, const api::ReplicaSet*) {
  return snapshot.replica_sets;
}
Table<api::StatefulSet>& TableOf(Snapshot& snapshot, const api::StatefulSet*) {
  return snapshot.stateful_sets;
}
Table<api::PersistentVolume>& TableOf(Snapshot& snapshot, const api::PersistentVolume*) {
  return snapshot.volumes;
}
Table<api::PersistentVolumeClaim>& TableOf(Snapshot& snapshot, const api::PersistentVolumeClaim*) {
  return snapshot.claims;
}
Table<api::StorageClass>& TableOf(Snapshot& snapshot, const api::StorageClass*) {
  return snapshot.storage_classes;
}
Table<api::CsiNode>& TableOf(Snapshot& snapshot, const api::CsiNode*) { return snapshot.csi_nodes; }
Table<api::CsiDriver>& TableOf(Snapshot& snapshot, const api::CsiDriver*) {
  return snapshot.csi_drivers;
}
Table<api::CsiStorageCapacity>& TableOf(Snapshot& snapshot, const api::CsiStorageCapacity*) {
  return snapshot.csi_capacities;
}
Table<api::VolumeAttachment>& TableOf(Snapshot& snapshot, const api::VolumeAttachment*) {
  return snapshot.attachments;
}
Table<api::PodDisruptionBudget>& TableOf(Snapshot& snapshot, const api::PodDisruptionBudget*) {
  return snapshot.budgets;
}
Table<api::ResourceClaim>& TableOf(Snapshot& snapshot, const api::ResourceClaim*) {
  return snapshot.resource_claims;
}
Table<api::DeviceClass>& TableOf(Snapshot& snapshot, const api::DeviceClass*) {
  return snapshot.device_classes;
}
Table<api::ResourceSlice>& TableOf(Snapshot& snapshot, const api::ResourceSlice*) {
  return snapshot.resource_slices;
}

void RemovePod(Snapshot& snapshot, const api::ObjectKey& key) {
  for (auto& [node, pods] : snapshot.placed) pods.erase(key);
  for (auto& [node, pods] : snapshot.nominated) pods.erase(key);
}

void PutPod(Snapshot& snapshot, const api::ObjectKey& key, const api::Ref<api::Pod>& pod) {
  RemovePod(snapshot, key);
  if (pod->finished()) return;
  const std::string& node = pod->spec.node_name;
  const std::string& nominated = pod->status.nominated_node_name;
  if (!node.empty()) {
    snapshot.placed[node][key] = pod;
  } else if (!nominated.empty()) {
    snapshot.nominated[nominated][key] = pod;
  }
}

template <typename T>
constexpr bool kIsPod = std::is_same_v<T, api::Ref<api::Pod>>;
// No rule reads these: pods contain their priority, and are decided about one by one.
template <typename T>
constexpr bool kIsIgnored = std::is_same_v<T, api::Ref<api::PriorityClass>> ||
                            std::is_same_v<T, api::Ref<api::PodGroup>>;

const Table<api::Pod>& PodsAt(const std::map<std::string, Table<api::Pod>, std::less<>>& pods,
                              std::string_view node) {
  static const Table<api::Pod> kNone;
  const auto found = pods.find(node);
  return found == pods.end() ? kNone : found->second;
}

}  // namespace

void Snapshot::Put(const api::Object& object) {
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

void Snapshot::Remove(const api::Object& object) {
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

const Table<api::Pod>& Snapshot::PodsOn(std::string_view node) const {
  return PodsAt(placed, node);
}

const Table<api::Pod>& Snapshot::NominatedTo(std::string_view node) const {
  return PodsAt(nominated, node);
}

namespace {

// Returns the first of the two labels that the node has, or "".
std::string LabelOf(const api::Node& node, std::string_view old_key, std::string_view key) {
  const std::string* old_value = Find(node.metadata.labels, old_key);
  const std::string* value = old_value != nullptr ? old_value : Find(node.metadata.labels, key);
  return value == nullptr ? "" : *value;
}

using Zone = std::pair<std::string, std::string>;  // Region and zone.

Zone ZoneOf(const api::Node& node) {
  return {
      LabelOf(node, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
      LabelOf(node, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")};
}

}  // namespace

std::vector<std::string> NodeOrder(const Snapshot& snapshot) {
  std::vector<Zone> zones;  // In the order of their first nodes.
  std::map<Zone, std::deque<std::string>> waiting;
  for (const auto& [key, node] : snapshot.nodes) {
    const Zone zone = ZoneOf(*node);
    if (!waiting.contains(zone)) zones.push_back(zone);
    waiting[zone].push_back(key.name);
  }
  std::vector<std::string> order;
  while (order.size() < snapshot.nodes.size()) {
    for (const Zone& zone : zones) {
      if (waiting[zone].empty()) continue;
      order.push_back(waiting[zone].front());
      waiting[zone].pop_front();
    }
  }
  return order;
}

}  // namespace berth::scheduler::reference
