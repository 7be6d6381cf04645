#include "testing/random_cluster.h"

#include "testing/random_objects.h"
#include "testing/random_pod.h"

namespace berth {
namespace {

using generate::OneOf;
using generate::RandomNamespace;
using generate::RandomNodeName;
using generate::RandomOwnerName;
using generate::RandomPodSelector;

template <typename T>
api::Object ToObject(T object) {
  return std::make_shared<const T>(std::move(object));
}

template <typename T>
api::Ref<T> OneOfTable(Random& random, const scheduler::reference::Table<T>& table) {
  return std::next(table.begin(), static_cast<int64_t>(random.Below(table.size())))->second;
}

// Returns a pod that is on a node; nullptr if there is none.
api::Ref<api::Pod> OneOfPlaced(Random& random, const scheduler::reference::Snapshot& cluster) {
  scheduler::reference::Table<api::Pod> all;
  for (const auto& [node, pods] : cluster.placed) all.insert(pods.begin(), pods.end());
  return all.empty() ? nullptr : OneOfTable(random, all);
}

template <typename T>
T Owned(Random& random, std::string name) {
  T object;
  object.metadata.namespace_ = RandomNamespace(random);
  object.metadata.name = std::move(name);
  return object;
}

api::Object RandomWorkload(Random& random) {
  switch (random.Below(4)) {
    case 0: {
      auto service = Owned<api::Service>(random, fmt::format("service-{}", random.Below(3)));
      if (random.Chance(90)) service.selector = RandomPodSelector(random).match_labels;
      return ToObject(std::move(service));
    }
    case 1: {
      auto controller = Owned<api::ReplicationController>(random, RandomOwnerName(random));
      controller.selector = RandomPodSelector(random).match_labels;
      return ToObject(std::move(controller));
    }
    case 2: {
      auto set = Owned<api::ReplicaSet>(random, RandomOwnerName(random));
      set.selector = RandomPodSelector(random);
      return ToObject(std::move(set));
    }
    default: {
      auto set = Owned<api::StatefulSet>(random, RandomOwnerName(random));
      set.selector = RandomPodSelector(random);
      return ToObject(std::move(set));
    }
  }
}

api::Object RandomBudget(Random& random) {
  auto budget = Owned<api::PodDisruptionBudget>(random, fmt::format("budget-{}", random.Below(3)));
  if (random.Chance(95)) budget.selector = RandomPodSelector(random);
  budget.disruptions_allowed = OneOf(random, {0, 0, 1, 2});
  if (random.Chance(20)) {
    budget.disrupted_pods.insert(fmt::format("pod-{:04}", random.Below(40)));
  }
  return ToObject(std::move(budget));
}

api::Object RandomNamespaceObject(Random& random) {
  api::Namespace object;
  object.metadata.name = OneOf(random, {"default", "team-a", "team-b"});
  object.metadata.labels = generate::RandomNamespaceLabels(random);
  return ToObject(std::move(object));
}

template <typename T>
void AppendAll(const scheduler::reference::Table<T>& table, std::vector<api::Object>& objects) {
  for (const auto& [key, object] : table) objects.emplace_back(object);
}

}  // namespace

scheduler::reference::Snapshot ClusterGenerator::Snapshot(size_t nodes) {
  scheduler::reference::Snapshot cluster;
  for (const api::Object& object : ClusterObjects(nodes)) cluster.Put(object);
  const size_t pods = nodes * 4 + random_.Below(nodes + 1);
  for (size_t i = 0; i < pods; ++i) cluster.Put(PlacedPod(cluster));
  for (size_t i = 0; i < nodes / 3; ++i) {
    auto pod = std::make_shared<api::Pod>(generate::RandomPod(random_, next_++));
    pod->status.nominated_node_name = RandomNodeName(random_, nodes + 1);
    cluster.Put(api::Ref<api::Pod>(pod));
  }
  return cluster;
}

std::vector<api::Object> ClusterGenerator::ClusterObjects(size_t nodes) {
  std::vector<api::Object> objects = generate::RandomStorage(random_, next_);
  for (size_t i = 0; i < nodes; ++i) {
    const std::string name = fmt::format("node-{:02}", i);
    objects.push_back(ToObject(generate::RandomNode(random_, name)));
    if (random_.Chance(70)) objects.push_back(ToObject(generate::RandomCsiNode(random_, name)));
  }
  for (int i = 0; i < 5; ++i) objects.push_back(RandomNamespaceObject(random_));
  for (int i = 0; i < 8; ++i) objects.push_back(RandomWorkload(random_));
  for (int i = 0; i < 4; ++i) objects.push_back(RandomBudget(random_));
  return objects;
}

RandomChange ClusterGenerator::Change(const scheduler::reference::Snapshot& cluster) {
  const uint64_t kind = random_.Below(100);
  if (kind < 50) return PodChange(cluster);
  if (kind < 70) return NodeChange(cluster);
  const api::Object object = NewObject(cluster);
  return {object, /*removed=*/random_.Chance(25)};
}

api::Object ClusterGenerator::NewObject(const scheduler::reference::Snapshot& cluster) {
  switch (random_.Below(6)) {
    case 0:
      return RandomWorkload(random_);
    case 1:
      return RandomBudget(random_);
    case 2:
      return RandomNamespaceObject(random_);
    case 3:
      return ToObject(
          generate::RandomCsiNode(random_, RandomNodeName(random_, cluster.nodes.size() + 1)));
    default:
      return generate::RandomStorageObject(random_, next_++);
  }
}

// Returns a new pod, or a change of an existing one: labels, deletion, completion or removal.
RandomChange ClusterGenerator::PodChange(const scheduler::reference::Snapshot& cluster) {
  const api::Ref<api::Pod> old = OneOfPlaced(random_, cluster);
  if (old == nullptr || random_.Chance(45)) return {PlacedPod(cluster)};
  api::Pod pod = *old;
  switch (random_.Below(5)) {
    case 0:
      pod.metadata.labels = generate::RandomPodLabels(random_);
      break;
    case 1:
      pod.metadata.deletion_timestamp = Instant::FromUnixSeconds(1'800'000'000);
      break;
    case 2:
      pod.status.phase = "Succeeded";
      break;
    default:
      return {old, /*removed=*/true};
  }
  return {ToObject(std::move(pod))};
}

RandomChange ClusterGenerator::NodeChange(const scheduler::reference::Snapshot& cluster) {
  if (cluster.nodes.empty() || random_.Chance(15)) {
    const std::string name = RandomNodeName(random_, cluster.nodes.size() + 2);
    return {ToObject(generate::RandomNode(random_, name))};
  }
  const api::Ref<api::Node> old = OneOfTable(random_, cluster.nodes);
  if (random_.Chance(15)) return {old, /*removed=*/true};
  api::Node node = *old;
  generate::Disturb(random_, node);
  return {ToObject(std::move(node))};
}

api::Ref<api::Pod> ClusterGenerator::PlacedPod(const scheduler::reference::Snapshot& cluster) {
  const uint64_t number = next_++;
  api::Pod pod = generate::RandomPod(random_, number);
  generate::Place(random_, number, RandomNodeName(random_, cluster.nodes.size() + 1), pod);
  return std::make_shared<const api::Pod>(std::move(pod));
}

api::Ref<api::Pod> ClusterGenerator::WaitingPod(const scheduler::reference::Snapshot& cluster) {
  api::Pod pod = generate::RandomPod(random_, next_++);
  if (random_.Chance(30)) pod.spec.priority = 2000;
  if (random_.Chance(5)) {
    pod.status.nominated_node_name = RandomNodeName(random_, cluster.nodes.size() + 1);
  }
  return std::make_shared<const api::Pod>(std::move(pod));
}

std::vector<api::Object> ObjectsOf(const scheduler::reference::Snapshot& cluster) {
  std::vector<api::Object> objects;
  AppendAll(cluster.namespaces, objects);
  AppendAll(cluster.nodes, objects);
  AppendAll(cluster.csi_nodes, objects);
  AppendAll(cluster.csi_drivers, objects);
  AppendAll(cluster.storage_classes, objects);
  AppendAll(cluster.csi_capacities, objects);
  AppendAll(cluster.volumes, objects);
  AppendAll(cluster.claims, objects);
  AppendAll(cluster.attachments, objects);
  AppendAll(cluster.services, objects);
  AppendAll(cluster.replication_controllers, objects);
  AppendAll(cluster.replica_sets, objects);
  AppendAll(cluster.stateful_sets, objects);
  AppendAll(cluster.budgets, objects);
  AppendAll(cluster.device_classes, objects);
  AppendAll(cluster.resource_slices, objects);
  AppendAll(cluster.resource_claims, objects);
  for (const auto& [node, pods] : cluster.placed) AppendAll(pods, objects);
  for (const auto& [node, pods] : cluster.nominated) AppendAll(pods, objects);
  return objects;
}

}  // namespace berth
