#include "simulation/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/pod_resources.h"
#include "simulation/device_population.h"

namespace berth::simulation {

bool UsedCapacity::Add(const api::Pod& pod) {
  ++pods_;
  bool free = true;
  for (const auto& [name, amount] : api::PodRequests(pod, {})) {
    if (name != kGpuResource) used_[name] += amount;  // Devices provide it.
  }
  for (const api::Container& container : pod.spec.containers) {
    for (const api::ContainerPort& port : container.ports) {
      if (port.host_port == 0) continue;
      free &= ports_.emplace(port.protocol, port.host_port).second;
    }
  }
  return free;
}

std::string UsedCapacity::Excess(const api::Node& node) const {
  const auto& allocatable = node.status.allocatable;
  for (const auto& [name, amount] : used_) {
    const auto available = allocatable.find(name);
    if (available == allocatable.end() || amount > available->second) {
      return fmt::format("{} {} are used, {} are allocatable", amount.ToString(), name,
                         available == allocatable.end() ? "0" : available->second.ToString());
    }
  }
  const auto limit = allocatable.find("pods");
  if (limit != allocatable.end() && pods_ > limit->second.Value()) {
    return fmt::format("{} pods are assigned, {} are allowed", pods_, limit->second.Value());
  }
  return "";
}

namespace {

constexpr std::array kZones = {"a", "b", "c"};
constexpr std::array kApps = {"web", "db", "batch"};
constexpr const char* kTaint = "dedicated";

template <size_t kSize>
std::string Any(const std::array<const char*, kSize>& choices, Random& random) {
  return choices[random.Below(kSize)];
}

int32_t Number(uint64_t value) { return static_cast<int32_t>(value); }

api::LabelSelector AppSelector(std::string app) {
  return {.match_labels = {{"app", std::move(app)}}, .match_expressions = {}};
}

std::string AnyTopology(Random& random) {
  return random.Chance(50) ? kZoneLabel : "kubernetes.io/hostname";
}

api::PodAffinityTerm AffinityTerm(Random& random) {
  api::PodAffinityTerm term;
  term.label_selector = AppSelector(Any(kApps, random));
  term.topology_key = AnyTopology(random);
  return term;
}

api::TopologySpreadConstraint SpreadOver(const std::string& app, Random& random) {
  api::TopologySpreadConstraint constraint;
  constraint.max_skew = Number(1 + random.Below(2));
  constraint.topology_key = AnyTopology(random);
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.label_selector = AppSelector(app);
  return constraint;
}

void AddFeature(api::Pod& pod, Random& random) {
  api::Affinity affinity;
  switch (random.Below(8)) {
    case 0:
      pod.spec.topology_spread_constraints.push_back(
          SpreadOver(pod.metadata.labels.at("app"), random));
      break;
    case 1:
      affinity.pod_anti_affinity.emplace().required.push_back(AffinityTerm(random));
      pod.spec.affinity = affinity;
      break;
    case 2:
      affinity.pod_affinity.emplace().required.push_back(AffinityTerm(random));
      pod.spec.affinity = affinity;
      break;
    case 3:
      pod.spec.containers[0].ports.push_back({8080, Number(8080 + random.Below(2)), "", "TCP"});
      break;
    case 4:
      pod.spec.scheduling_gates = {"example.com/wait"};
      break;
    case 5:
      pod.spec.node_selector.emplace().emplace("disk", "ssd");
      break;
    case 6:
      pod.spec.tolerations.push_back({kTaint, "Exists", "", "NoSchedule", {}});
      break;
    default:
      break;
  }
}

}  // namespace

api::Node RandomNode(std::string name, Random& random) {
  api::Node node;
  node.metadata.labels = {{"kubernetes.io/hostname", name}, {kZoneLabel, Any(kZones, random)}};
  if (random.Chance(40)) node.metadata.labels.emplace("disk", "ssd");
  node.metadata.name = std::move(name);
  auto& allocatable = node.status.allocatable;
  allocatable["cpu"] = api::Quantity::FromMilli(static_cast<int64_t>(1000 + 500 * random.Below(5)));
  allocatable["memory"] =
      api::Quantity::FromValue(static_cast<int64_t>((2 + random.Below(4)) << 30));
  allocatable["pods"] = api::Quantity::FromValue(static_cast<int64_t>(2 + random.Below(8)));
  if (random.Chance(15)) node.spec.taints.push_back({kTaint, "", "NoSchedule"});
  return node;
}

void ChangeNode(api::Node& node, bool may_shrink, Random& random) {
  auto& allocatable = node.status.allocatable;
  auto& labels = node.metadata.labels;
  switch (random.Below(may_shrink ? 7 : 6)) {
    case 0:
      labels.insert_or_assign(kZoneLabel, Any(kZones, random));
      break;
    case 1:
      if (labels.erase("disk") == 0) labels.emplace("disk", "ssd");
      break;
    case 2:
      if (node.spec.taints.empty()) {
        node.spec.taints.push_back({kTaint, "", "NoSchedule"});
      } else {
        node.spec.taints.clear();
      }
      break;
    case 3:
      node.spec.unschedulable = !node.spec.unschedulable;
      break;
    case 4:
      allocatable["cpu"] += api::Quantity::FromMilli(500);
      break;
    case 5:
      allocatable["pods"] += api::Quantity::FromValue(1);
      break;
    default:
      allocatable["cpu"] = api::Quantity::FromMilli(static_cast<int64_t>(500 + random.Below(1500)));
      break;
  }
}

api::Pod RandomPod(std::string name, const FaultPlan& plan, const std::string& claim,
                   Random& random) {
  api::Pod pod;
  pod.metadata.name = std::move(name);
  pod.metadata.namespace_ = kNamespace;
  pod.metadata.labels = {{"app", Any(kApps, random)}};
  pod.status.phase = "Pending";
  pod.spec.scheduler_name = plan.incumbents && random.Chance(15) ? kIncumbent : kOurScheduler;
  api::Container container;
  container.name = "main";
  container.image = "registry.example.com/app:1";
  container.resources.requests["cpu"] =
      api::Quantity::FromMilli(static_cast<int64_t>(100 * (1 + random.Below(12))));
  container.resources.requests["memory"] =
      api::Quantity::FromValue(static_cast<int64_t>((1 + random.Below(8)) << 27));
  pod.spec.containers.push_back(std::move(container));
  if (plan.priorities) pod.spec.priority = Number(random.Below(4) * 100);
  AddFeature(pod, random);
  if (!claim.empty()) {
    pod.spec.volumes.push_back({"data", api::PersistentVolumeClaimSource{claim, false}});
  }
  return pod;
}

void ChangePodLabels(api::Pod& pod, Random& random) {
  pod.metadata.labels.insert_or_assign("app", Any(kApps, random));
}

api::StorageClass MakeStorageClass(std::string name) {
  api::StorageClass storage_class;
  storage_class.provisioner = "disks.example.com";
  storage_class.volume_binding_mode = name == kDelayedClass ? "WaitForFirstConsumer" : "Immediate";
  storage_class.metadata.name = std::move(name);
  return storage_class;
}

api::PersistentVolumeClaim RandomClaim(std::string name, Random& random) {
  api::PersistentVolumeClaim claim;
  claim.metadata.name = std::move(name);
  claim.metadata.namespace_ = kNamespace;
  claim.access_modes = {"ReadWriteOnce"};
  claim.requests["storage"] = api::Quantity::FromValue(int64_t{1} << 30);
  claim.storage_class_name = random.Chance(70) ? kDelayedClass : kImmediateClass;
  claim.phase = "Pending";
  return claim;
}

api::PersistentVolume RandomVolume(std::string name, Random& random) {
  api::PersistentVolume volume;
  volume.metadata.name = std::move(name);
  volume.access_modes = {"ReadWriteOnce"};
  volume.capacity["storage"] = api::Quantity::FromValue(int64_t{1} << 30);
  volume.storage_class_name = kDelayedClass;
  volume.phase = "Available";
  if (random.Chance(50)) {
    api::NodeSelectorTerm term;
    term.match_expressions.push_back({kZoneLabel, "In", {Any(kZones, random)}});
    volume.node_affinity.emplace().terms.push_back(std::move(term));
  }
  return volume;
}

}  // namespace berth::simulation
