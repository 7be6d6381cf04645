#include "benchmark/synthetic_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "api/node.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "api/storage.h"
#include "api/workloads.h"

namespace berth::benchmark {
namespace {

constexpr int64_t kCpuPerNode = 4'000;  // Millis.
constexpr int64_t kMemoryPerNode = int64_t{32} << 30;
constexpr int64_t kCpuPerPod = 100;
constexpr int64_t kMemoryPerPod = int64_t{500} << 20;
// Classes differ by so much memory: a million of them in a gibibyte.
constexpr int64_t kMemoryPerClass = 1 << 10;
constexpr size_t kPodsPerNode = kCpuPerNode / kCpuPerPod;
constexpr const char* kNamespace = "default";
constexpr const char* kDriver = "gpu.example.com";
constexpr const char* kDeviceClass = "gpu";
constexpr const char* kVolumeDriver = "csi.example.com";
constexpr const char* kStorageClass = "standard";
constexpr const char* kAppLabel = "app";

api::ResourceList Resources(int64_t cpu, int64_t memory) {
  return {{"cpu", api::Quantity::FromMilli(cpu)},
          {"memory", api::Quantity::FromValue(memory, api::Quantity::Format::kBinarySI)}};
}

api::LabelSelector SameApp(const api::Pod& pod) {
  api::LabelSelector selector;
  selector.match_labels = {{kAppLabel, pod.metadata.labels.at(kAppLabel)}};
  return selector;
}

api::PodAffinityTerm SameAppTerm(const api::Pod& pod, const char* topology_key) {
  api::PodAffinityTerm term;
  term.label_selector = SameApp(pod);
  term.topology_key = topology_key;
  return term;
}

api::Affinity& AffinityOf(api::Pod& pod) {
  if (!pod.spec.affinity) pod.spec.affinity.emplace();
  return *pod.spec.affinity;
}

api::Ref<api::ResourceSlice> SliceFor(size_t node, size_t devices) {
  auto slice = std::make_shared<api::ResourceSlice>();
  slice->metadata.name = "slice-" + NodeName(node);
  slice->driver = kDriver;
  slice->pool = {.name = NodeName(node), .generation = 1, .resource_slice_count = 1};
  slice->node_name = NodeName(node);
  for (size_t i = 0; i < devices; ++i) {
    api::Device& device = slice->devices.emplace_back();
    device.name = fmt::format("gpu-{}", i);
    device.attributes["model"].string_value = "a100";
    device.attributes["uuid"].string_value = fmt::format("{}-{}", node, i);
    device.capacity["memory"].value = *api::Quantity::Parse("40Gi");
  }
  return slice;
}

api::Ref<api::DeviceClass> GpuClass() {
  auto device_class = std::make_shared<api::DeviceClass>();
  device_class->metadata.name = kDeviceClass;
  device_class->selectors = {{fmt::format("device.driver == \"{}\"", kDriver)}};
  return device_class;
}

std::string AppOf(size_t class_index) { return fmt::format("app-{}", class_index); }
std::string ClaimName(size_t pod) { return fmt::format("claim-{:07}", pod); }

bool HasVolumes(Mix mix) {
  return mix == Mix::kVolumes || mix == Mix::kLocalVolumes || mix == Mix::kUnboundVolumes;
}

api::Ref<api::StorageClass> WaitingClass() {
  auto storage_class = std::make_shared<api::StorageClass>();
  storage_class->metadata.name = kStorageClass;
  storage_class->provisioner = kVolumeDriver;
  storage_class->volume_binding_mode = "WaitForFirstConsumer";
  return storage_class;
}

// The limit is not reached: no more pods fit on a node.
api::Ref<api::CsiNode> CsiNodeOf(size_t node) {
  auto csi_node = std::make_shared<api::CsiNode>();
  csi_node->metadata.name = NodeName(node);
  csi_node->drivers.push_back({.name = kVolumeDriver,
                               .node_id = NodeName(node),
                               .topology_keys = {kZoneLabel},
                               .allocatable_count = kPodsPerNode});
  return csi_node;
}

// The mixes that kMixed takes in turn.
constexpr Mix kMixedParts[] = {Mix::kPlain, Mix::kSpread, Mix::kAntiAffinity, Mix::kAffinity,
                               Mix::kSelector};

}  // namespace

std::string NodeName(size_t i) { return fmt::format("node-{:07}", i); }

api::Node PlainNode(size_t i, std::string zone) {
  api::Node node;
  node.metadata.name = NodeName(i);
  node.metadata.labels = {{kHostnameLabel, node.metadata.name}, {kZoneLabel, std::move(zone)}};
  node.status.allocatable = Resources(kCpuPerNode, kMemoryPerNode);
  node.status.allocatable["pods"] = api::Quantity::FromValue(110);
  return node;
}

api::Pod PlainPod(const std::string& app, size_t i) {
  api::Pod pod;
  pod.metadata.name = fmt::format("{}-{:07}", app, i);
  pod.metadata.namespace_ = kNamespace;
  pod.metadata.uid = "uid-" + pod.metadata.name;
  pod.metadata.labels = {{kAppLabel, app}};
  pod.spec.scheduler_name = "default-scheduler";
  api::Container& container = pod.spec.containers.emplace_back();
  container.name = "pause";
  container.image = "registry.k8s.io/pause:3.10";
  container.resources.requests = Resources(kCpuPerPod, kMemoryPerPod);
  return pod;
}

void SpreadOverZones(api::Pod& pod) {
  auto& constraint = pod.spec.topology_spread_constraints.emplace_back();
  constraint.max_skew = 5;
  constraint.topology_key = kZoneLabel;
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.label_selector = SameApp(pod);
}

void SeparateHosts(api::Pod& pod) {
  AffinityOf(pod).pod_anti_affinity.emplace().required = {SameAppTerm(pod, kHostnameLabel)};
}

void JoinZone(api::Pod& pod) {
  AffinityOf(pod).pod_affinity.emplace().required = {SameAppTerm(pod, kZoneLabel)};
}

void PreferHost(api::Pod& pod) {
  AffinityOf(pod).pod_affinity.emplace().preferred = {{1, SameAppTerm(pod, kHostnameLabel)}};
}

api::Ref<api::Service> ServiceFor(const std::string& app) {
  auto service = std::make_shared<api::Service>();
  service->metadata.name = app;
  service->metadata.namespace_ = kNamespace;
  service->selector = api::StringMap{{kAppLabel, app}};
  return service;
}

std::string WorldOptions::Name() const {
  const auto named = std::ranges::find(kMixes, mix, &NamedMix::mix);
  return fmt::format("{}/{}nodes_{}pods_{}classes", named->name, nodes, pods,
                     classes == 0 ? "each" : std::to_string(classes));
}

Status WorldOptions::Check() const {
  if (nodes == 0 || pods == 0 || zones == 0) return Fail("nodes, pods and zones must be positive");
  const size_t of_class = classes == 0 ? 1 : (pods + classes - 1) / classes;
  const size_t per_zone = nodes / zones * kPodsPerNode;
  const bool per_host = mix == Mix::kAntiAffinity || mix == Mix::kMixed;
  if (per_host && of_class > nodes) {
    return Fail(fmt::format(
        "{} pods of a class do not fit on {} nodes with one per node: use more nodes or classes",
        of_class, nodes));
  }
  const bool one_zone = mix == Mix::kAffinity || mix == Mix::kSelector || mix == Mix::kMixed;
  if (one_zone && of_class > per_zone) {
    return Fail(fmt::format(
        "{} pods of a class do not fit into one zone of {} nodes: use more classes or fewer zones",
        of_class, nodes / zones));
  }
  const size_t of_zone = (pods + zones - 1) / zones;
  if (mix == Mix::kVolumes && of_zone > per_zone) {
    return Fail(fmt::format(
        "{} pods with volumes of a zone do not fit on {} nodes: use fewer pods or zones", of_zone,
        nodes / zones));
  }
  const size_t most = mix == Mix::kPreemption ? nodes * 4 : nodes * kPodsPerNode;
  if (pods > most) {
    return Fail(fmt::format("{} pods do not fit on {} nodes, {} do", pods, nodes, most));
  }
  return {};
}

std::string SyntheticWorld::ZoneOf(size_t node) const {
  return fmt::format("zone-{}", node % options_.zones);
}

api::Ref<api::Node> SyntheticWorld::Node(size_t i) const {
  return std::make_shared<const api::Node>(PlainNode(i, ZoneOf(i)));
}

std::vector<api::Object> SyntheticWorld::Others() const {
  std::vector<api::Object> others;
  if (options_.mix == Mix::kDefaultSpread) {
    const size_t classes = options_.classes == 0 ? options_.pods : options_.classes;
    for (size_t i = 0; i < classes; ++i) others.emplace_back(ServiceFor(AppOf(i)));
  }
  if (options_.mix == Mix::kDevices) {
    const size_t per_node = (options_.pods + options_.nodes - 1) / options_.nodes;
    others.emplace_back(GpuClass());
    for (size_t i = 0; i < options_.nodes; ++i) others.emplace_back(SliceFor(i, per_node));
  }
  if (HasVolumes(options_.mix)) {
    others.emplace_back(WaitingClass());
    for (size_t i = 0; i < options_.nodes; ++i) others.emplace_back(CsiNodeOf(i));
  }
  return others;
}

api::Ref<api::Pod> SyntheticWorld::Filler(size_t i) const {
  api::Pod pod = PlainPod("filler", i);
  pod.spec.containers[0].resources.requests = Resources(kCpuPerNode / 4, kMemoryPerPod);
  pod.spec.node_name = NodeName(i % options_.nodes);
  return std::make_shared<const api::Pod>(std::move(pod));
}

api::Ref<api::Pod> SyntheticWorld::Pod(size_t i) const {
  const size_t index = ClassOf(i);
  api::Pod pod = PlainPod(AppOf(index), i);
  auto& requests = pod.spec.containers[0].resources.requests;
  requests = Resources(kCpuPerPod, kMemoryPerPod + static_cast<int64_t>(index) * kMemoryPerClass);
  const Mix mix =
      options_.mix == Mix::kMixed ? kMixedParts[index % std::size(kMixedParts)] : options_.mix;
  switch (mix) {
    case Mix::kSpread:
      SpreadOverZones(pod);
      break;
    case Mix::kAntiAffinity:
      SeparateHosts(pod);
      break;
    case Mix::kAffinity:
      JoinZone(pod);
      break;
    case Mix::kPreferredAffinity:
      PreferHost(pod);
      break;
    case Mix::kSelector:
      pod.spec.node_selector = api::StringMap{{kZoneLabel, ZoneOf(index)}};
      break;
    case Mix::kPreemption:
      requests["cpu"] = api::Quantity::FromMilli(kCpuPerNode / 4);
      pod.spec.priority = 10;
      break;
    case Mix::kDevices:
      pod.spec.resource_claims = {{kDeviceClass, std::nullopt, kDeviceClass}};
      pod.status.resource_claim_statuses = {{kDeviceClass, ClaimName(i)}};
      break;
    case Mix::kVolumes:
    case Mix::kLocalVolumes:
    case Mix::kUnboundVolumes:
      pod.spec.volumes = {{"data", api::PersistentVolumeClaimSource{ClaimName(i), false}}};
      break;
    case Mix::kPlain:
    case Mix::kDefaultSpread:
    case Mix::kMixed:
      break;
  }
  return std::make_shared<const api::Pod>(std::move(pod));
}

std::vector<api::Object> SyntheticWorld::ObjectsOf(size_t i) const {
  if (options_.mix == Mix::kDevices) return {DeviceClaim(i)};
  if (!HasVolumes(options_.mix)) return {};
  api::PersistentVolumeClaim claim;
  claim.metadata.name = ClaimName(i);
  claim.metadata.namespace_ = kNamespace;
  claim.metadata.uid = "uid-" + ClaimName(i);
  claim.access_modes = {"ReadWriteOnce"};
  claim.requests["storage"] = *api::Quantity::Parse("1Gi");
  claim.storage_class_name = kStorageClass;
  claim.phase = "Pending";
  if (options_.mix == Mix::kUnboundVolumes)
    return {std::make_shared<const api::PersistentVolumeClaim>(std::move(claim))};
  api::PersistentVolume volume = VolumeFor(claim);
  const bool local = options_.mix == Mix::kLocalVolumes;
  volume.node_affinity = {{{{{local ? kHostnameLabel : kZoneLabel,
                              "In",
                              {local ? NodeName(i % options_.nodes) : ZoneOf(i)}}},
                            {}}}};
  Bind(claim, volume);
  return {std::make_shared<const api::PersistentVolume>(std::move(volume)),
          std::make_shared<const api::PersistentVolumeClaim>(std::move(claim))};
}

api::PersistentVolume SyntheticWorld::VolumeFor(const api::PersistentVolumeClaim& claim) {
  api::PersistentVolume volume;
  volume.metadata.name = "volume-of-" + claim.metadata.name;
  volume.capacity = claim.requests;
  volume.source = api::CsiPersistentVolumeSource{kVolumeDriver, volume.metadata.name};
  volume.access_modes = claim.access_modes;
  volume.claim_ref = api::ObjectReference{.api_version = "v1",
                                          .kind = "PersistentVolumeClaim",
                                          .namespace_ = claim.metadata.namespace_,
                                          .name = claim.metadata.name,
                                          .uid = claim.metadata.uid,
                                          .resource_version = ""};
  volume.storage_class_name = kStorageClass;
  volume.phase = "Bound";
  return volume;
}

void SyntheticWorld::Bind(api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume) {
  claim.volume_name = volume.metadata.name;
  claim.phase = "Bound";
  claim.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
}

api::Ref<api::ResourceClaim> SyntheticWorld::DeviceClaim(size_t i) const {
  const api::Ref<api::Pod> pod = Pod(i);
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->metadata.name = ClaimName(i);
  claim->metadata.namespace_ = kNamespace;
  claim->metadata.uid = "uid-" + ClaimName(i);
  claim->metadata.owner_references.push_back({.api_version = "v1",
                                              .kind = "Pod",
                                              .name = pod->metadata.name,
                                              .uid = pod->metadata.uid,
                                              .controller = true});
  api::DeviceRequest& request = claim->spec.requests.emplace_back();
  request.name = kDeviceClass;
  request.exactly.emplace();
  request.exactly->device_class_name = kDeviceClass;
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = 1;
  request.exactly->selectors = {
      {fmt::format("device.attributes[\"{}\"].model == \"a100\"", kDriver)}};
  return claim;
}

}  // namespace berth::benchmark
