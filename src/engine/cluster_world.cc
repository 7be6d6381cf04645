#include "engine/cluster_world.h"

namespace berth {
namespace {

template <typename T>
void CopyAll(const Cluster& cluster, twin::Table<T>& table) {
  table = cluster.objects<T>().all();
}

// An assumed pod counts as it was when it was decided about; the API may have shown it changed.
api::Ref<api::Pod> AsDecided(const Cluster& cluster, const PodRecord& record,
                             const std::string& node) {
  auto pod = api::CopyToChange(*record.object);
  pod->spec = cluster.class_of(record).spec();
  pod->spec.node_name = node;
  pod->metadata.labels.clear();
  for (const Label& label : cluster.labels_of(record)) {
    pod->metadata.labels[cluster.symbols().Text(label.key)] = cluster.symbols().Text(label.value);
  }
  return pod;
}

void CopyPods(const Cluster& cluster, twin::World& world) {
  cluster.pods().ForEach([&](const PodRecord& record) {
    if (record.state == PodState::kPending) return;
    const std::string& node = cluster.nodes().name(record.node);
    world.placed[node][record.key()] =
        record.state == PodState::kBound ? record.object : AsDecided(cluster, record, node);
  });
  for (const auto& [node, pods] : cluster.nominations().by_node()) {
    auto& nominated = world.nominated[cluster.symbols().Text(node)];
    for (PodId id : pods) nominated[cluster.pod(id).key()] = cluster.pod(id).object;
  }
}

void CopyStorage(const Cluster& cluster, twin::World& world) {
  const Storage& storage = cluster.storage();
  for (const auto& [key, claim] : world.claims) {
    if (auto current = storage.FindClaim(key); current != claim) {
      world.assumed_claims[key] = std::move(current);
    }
  }
  for (const auto& [key, volume] : world.volumes) {
    const StorageCatalog::Volume* listed = storage.catalog().FindVolume(key.name);
    if (auto current = storage.Current(*listed); current != volume) {
      world.assumed_volumes[key] = std::move(current);
    }
  }
}

}  // namespace

twin::World WorldOf(const Cluster& cluster) {
  twin::World world;
  cluster.nodes().present().ForEach([&](size_t row) {
    const auto& node = cluster.nodes().info(NodeRow{static_cast<uint32_t>(row)}).object;
    world.nodes[{"", node->metadata.name}] = node;
  });
  CopyAll(cluster, world.namespaces);
  CopyAll(cluster, world.services);
  CopyAll(cluster, world.replication_controllers);
  CopyAll(cluster, world.replica_sets);
  CopyAll(cluster, world.stateful_sets);
  CopyAll(cluster, world.volumes);
  CopyAll(cluster, world.claims);
  CopyAll(cluster, world.storage_classes);
  CopyAll(cluster, world.csi_nodes);
  CopyAll(cluster, world.csi_drivers);
  CopyAll(cluster, world.csi_capacities);
  CopyAll(cluster, world.attachments);
  CopyAll(cluster, world.budgets);
  CopyPods(cluster, world);
  CopyStorage(cluster, world);
  return world;
}

}  // namespace berth
