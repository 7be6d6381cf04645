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

// A pod that is on a node; nullptr if there is none.
api::Ref<api::Pod> OneOfPlaced(Random& random, const scheduler::reference::Snapshot& world) {
  scheduler::reference::Table<api::Pod> all;
  for (const auto& [node, pods] : world.placed) all.insert(pods.begin(), pods.end());
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
  scheduler::reference::Snapshot world;
  for (const api::Object& object : ClusterObjects(nodes)) world.Put(object);
  const size_t pods = nodes * 4 + random_.Below(nodes + 1);
  for (size_t i = 0; i < pods; ++i) world.Put(PlacedPod(world));
  for (size_t i = 0; i < nodes / 3; ++i) {
    auto pod = std::make_shared<api::Pod>(generate::RandomPod(random_, next_++));
    pod->status.nominated_node_name = RandomNodeName(random_, nodes + 1);
    world.Put(api::Ref<api::Pod>(pod));
  }
  return world;
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

RandomChange ClusterGenerator::Change(const scheduler::reference::Snapshot& world) {
  const uint64_t kind = random_.Below(100);
  if (kind < 50) return PodChange(world);
  if (kind < 70) return NodeChange(world);
  const api::Object object = NewObject(world);
  return {object, /*removed=*/random_.Chance(25)};
}

api::Object ClusterGenerator::NewObject(const scheduler::reference::Snapshot& world) {
  switch (random_.Below(6)) {
    case 0:
      return RandomWorkload(random_);
    case 1:
      return RandomBudget(random_);
    case 2:
      return RandomNamespaceObject(random_);
    case 3:
      return ToObject(
          generate::RandomCsiNode(random_, RandomNodeName(random_, world.nodes.size() + 1)));
    default:
      return generate::RandomStorageObject(random_, next_++);
  }
}

// A new pod, or something that befalls one that is there: its labels change, it is told to go, it
// finishes, it is gone.
RandomChange ClusterGenerator::PodChange(const scheduler::reference::Snapshot& world) {
  const api::Ref<api::Pod> old = OneOfPlaced(random_, world);
  if (old == nullptr || random_.Chance(45)) return {PlacedPod(world)};
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

RandomChange ClusterGenerator::NodeChange(const scheduler::reference::Snapshot& world) {
  if (world.nodes.empty() || random_.Chance(15)) {
    const std::string name = RandomNodeName(random_, world.nodes.size() + 2);
    return {ToObject(generate::RandomNode(random_, name))};
  }
  const api::Ref<api::Node> old = OneOfTable(random_, world.nodes);
  if (random_.Chance(15)) return {old, /*removed=*/true};
  api::Node node = *old;
  generate::Disturb(random_, node);
  return {ToObject(std::move(node))};
}

api::Ref<api::Pod> ClusterGenerator::PlacedPod(const scheduler::reference::Snapshot& world) {
  const uint64_t number = next_++;
  api::Pod pod = generate::RandomPod(random_, number);
  generate::Place(random_, number, RandomNodeName(random_, world.nodes.size() + 1), pod);
  return std::make_shared<const api::Pod>(std::move(pod));
}

api::Ref<api::Pod> ClusterGenerator::WaitingPod(const scheduler::reference::Snapshot& world) {
  api::Pod pod = generate::RandomPod(random_, next_++);
  if (random_.Chance(30)) pod.spec.priority = 2000;
  if (random_.Chance(5)) {
    pod.status.nominated_node_name = RandomNodeName(random_, world.nodes.size() + 1);
  }
  return std::make_shared<const api::Pod>(std::move(pod));
}

std::vector<api::Object> ObjectsOf(const scheduler::reference::Snapshot& world) {
  std::vector<api::Object> objects;
  AppendAll(world.namespaces, objects);
  AppendAll(world.nodes, objects);
  AppendAll(world.csi_nodes, objects);
  AppendAll(world.csi_drivers, objects);
  AppendAll(world.storage_classes, objects);
  AppendAll(world.csi_capacities, objects);
  AppendAll(world.volumes, objects);
  AppendAll(world.claims, objects);
  AppendAll(world.attachments, objects);
  AppendAll(world.services, objects);
  AppendAll(world.replication_controllers, objects);
  AppendAll(world.replica_sets, objects);
  AppendAll(world.stateful_sets, objects);
  AppendAll(world.budgets, objects);
  for (const auto& [node, pods] : world.placed) AppendAll(pods, objects);
  for (const auto& [node, pods] : world.nominated) AppendAll(pods, objects);
  return objects;
}

}  // namespace berth
