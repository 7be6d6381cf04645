#include "testing/random_pod.h"

#include <set>

#include "testing/object_builders.h"
#include "testing/random_objects.h"

namespace berth::generate {
namespace {

api::ResourceList RandomRequests(Random& random) {
  api::ResourceList requests;
  if (random.Chance(65))
    requests["cpu"] = Amount(OneOf(random, {"0", "100m", "250m", "500m", "2"}));
  if (random.Chance(55)) requests["memory"] = Amount(OneOf(random, {"64Mi", "500Mi", "2Gi"}));
  if (random.Chance(6)) requests["ephemeral-storage"] = Amount(OneOf(random, {"100Mi", "2Gi"}));
  if (random.Chance(6)) requests["example.com/gpu"] = Amount(OneOf(random, {"0", "1", "2"}));
  if (random.Chance(2)) requests["hugepages-2Mi"] = Amount("32Mi");
  return requests;
}

api::Container RandomContainer(Random& random, std::string name) {
  api::Container container;
  container.name = std::move(name);
  container.image =
      OneOf(random, {"web", "web:latest", "db:1", "cache:2", "reg:5000/tool", "none"});
  container.resources.requests = RandomRequests(random);
  if (random.Chance(10)) {
    const int32_t port = OneOf(random, {80, 443});
    container.ports.push_back({port, port, OneOf(random, {"", "", "10.0.0.1", "0.0.0.0", "::"}),
                               OneOf(random, {"TCP", "TCP", "UDP"})});
  }
  if (random.Chance(2)) container.restart_policy_rule_actions = {"RestartAllContainers"};
  return container;
}

void AddContainers(Random& random, api::PodSpec& spec) {
  const uint64_t count = 1 + random.Below(2);
  for (uint64_t i = 0; i < count; ++i) {
    spec.containers.push_back(RandomContainer(random, fmt::format("main-{}", i)));
  }
  while (random.Chance(20)) {
    api::Container init =
        RandomContainer(random, fmt::format("init-{}", spec.init_containers.size()));
    if (random.Chance(45)) init.restart_policy = "Always";
    spec.init_containers.push_back(std::move(init));
  }
  if (random.Chance(8)) spec.overhead["cpu"] = Amount("50m");
  if (random.Chance(8)) spec.overhead["memory"] = Amount("16Mi");
  if (random.Chance(8)) {
    spec.resources.emplace();
    spec.resources->requests["cpu"] = Amount(OneOf(random, {"300m", "2"}));
    if (random.Chance(50)) spec.resources->requests["memory"] = Amount("1Gi");
  }
}

void AddTolerations(Random& random, api::PodSpec& spec) {
  if (random.Chance(4)) spec.tolerations.push_back({.op = "Exists"});
  if (random.Chance(4)) {
    spec.tolerations.push_back({.key = "node.kubernetes.io/unschedulable", .op = "Exists"});
  }
  while (random.Chance(35)) {
    api::Toleration toleration;
    toleration.key = OneOf(random, {"dedicated", "spot"});
    toleration.op = OneOf(random, {"", "Equal", "Exists", "Lt", "Gt"});
    if (toleration.op != "Exists") toleration.value = OneOf(random, {"", "x", "y", "5"});
    toleration.effect = OneOf(random, {"", "NoSchedule", "NoExecute", "PreferNoSchedule"});
    spec.tolerations.push_back(std::move(toleration));
  }
}

api::NodeSelectorTerm RandomNodeTerm(Random& random) {
  api::NodeSelectorTerm term;
  switch (random.Below(6)) {
    case 0:
      term.match_expressions.push_back(
          {"topology.kubernetes.io/zone", "In", AtLeastOne(random, {"a", "b", "c"})});
      break;
    case 1:
      term.match_expressions.push_back({"disk", "NotIn", {OneOf(random, {"ssd", "hdd"})}});
      break;
    case 2:
      term.match_expressions.push_back({"rack", OneOf(random, {"Exists", "DoesNotExist"}), {}});
      break;
    case 3:
      term.match_expressions.push_back(
          {"generation", OneOf(random, {"Gt", "Lt"}), {OneOf(random, {"2", "6"})}});
      break;
    case 4:
      term.match_expressions.push_back({"disk", "In", {"ssd"}});
      term.match_expressions.push_back({"generation", "Exists", {}});
      break;
    default:
      term.match_fields.push_back(
          {"metadata.name", OneOf(random, {"In", "NotIn"}), {RandomNodeName(random)}});
  }
  return term;
}

void AddNodeAffinity(Random& random, api::PodSpec& spec) {
  if (random.Chance(8)) spec.node_selector = {{"disk", OneOf(random, {"ssd", "hdd"})}};
  if (random.Chance(2)) spec.node_selector.emplace();
  if (!random.Chance(25)) return;
  if (!spec.affinity) spec.affinity.emplace();
  api::NodeAffinity& affinity = spec.affinity->node_affinity.emplace();
  if (random.Chance(50)) {
    affinity.required.emplace();
    do {
      affinity.required->terms.push_back(RandomNodeTerm(random));
    } while (random.Chance(35));
  }
  while (random.Chance(55)) {
    affinity.preferred.push_back(
        {static_cast<int32_t>(1 + random.Below(100)), RandomNodeTerm(random)});
  }
}

std::string RandomTopologyKey(Random& random) {
  return OneOf(random, {"kubernetes.io/hostname", "topology.kubernetes.io/zone",
                        "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "rack"});
}

api::PodAffinityTerm RandomAffinityTerm(Random& random) {
  api::PodAffinityTerm term;
  if (random.Chance(97)) term.label_selector = RandomPodSelector(random);
  term.topology_key = RandomTopologyKey(random);
  if (random.Chance(12)) term.namespaces = AtLeastOne(random, {"default", "team-a", "unlisted"});
  if (random.Chance(15)) term.namespace_selector = RandomNamespaceSelector(random);
  return term;
}

api::PodAffinity RandomPodAffinity(Random& random) {
  api::PodAffinity affinity;
  if (random.Chance(50)) affinity.required.push_back(RandomAffinityTerm(random));
  if (random.Chance(12)) affinity.required.push_back(RandomAffinityTerm(random));
  while (random.Chance(45)) {
    affinity.preferred.push_back(
        {static_cast<int32_t>(1 + random.Below(100)), RandomAffinityTerm(random)});
  }
  return affinity;
}

void AddPodAffinity(Random& random, api::PodSpec& spec) {
  const bool near = random.Chance(14);
  const bool far = random.Chance(14);
  if (!near && !far) return;
  if (!spec.affinity) spec.affinity.emplace();
  if (near) spec.affinity->pod_affinity = RandomPodAffinity(random);
  if (far) spec.affinity->pod_anti_affinity = RandomPodAffinity(random);
}

// An API server takes one constraint for each key and consequence.
void AddSpreadConstraints(Random& random, api::PodSpec& spec) {
  std::set<std::pair<std::string, std::string>> seen;
  while (random.Chance(35)) {
    api::TopologySpreadConstraint constraint;
    constraint.max_skew = OneOf(random, {1, 1, 2, 5});
    constraint.topology_key = RandomTopologyKey(random);
    constraint.when_unsatisfiable = OneOf(random, {"DoNotSchedule", "ScheduleAnyway"});
    const bool hard = constraint.when_unsatisfiable == "DoNotSchedule";
    if (!seen.emplace(constraint.topology_key, constraint.when_unsatisfiable).second) continue;
    if (random.Chance(96)) {
      constraint.label_selector = RandomPodSelector(random);
      if (random.Chance(15)) constraint.match_label_keys = {"version"};
    }
    if (hard && random.Chance(20)) constraint.min_domains = OneOf(random, {1, 2, 4});
    if (random.Chance(20)) constraint.node_affinity_policy = OneOf(random, {"Honor", "Ignore"});
    if (random.Chance(20)) constraint.node_taints_policy = OneOf(random, {"Honor", "Ignore"});
    spec.topology_spread_constraints.push_back(std::move(constraint));
  }
}

api::VolumeSource RandomVolumeSource(Random& random) {
  const std::string disk = OneOf(random, {"disk-1", "disk-2"});
  const bool read_only = random.Chance(50);
  switch (random.Below(16)) {
    case 0:
      return api::GcePersistentDiskSource{disk, read_only};
    case 1:
      return api::AwsElasticBlockStoreSource{"vol-" + disk, read_only};
    case 2:
      return api::RbdSource{AtLeastOne(random, {"m1", "m2"}), "rbd", disk, read_only};
    case 3:
      return api::IscsiSource{"10.0.0.9:3260", "iqn." + disk, 0, read_only};
    case 4:
      return api::ImageSource{OneOf(random, {"web", "db:1"})};
    case 5:
      return api::OtherSource{};
    case 6:
      if (random.Chance(30)) return api::EphemeralSource{};
      [[fallthrough]];
    default:
      return api::PersistentVolumeClaimSource{RandomClaimName(random), false};
  }
}

void AddVolumes(Random& random, api::PodSpec& spec) {
  while (random.Chance(35)) {
    spec.volumes.push_back(
        {fmt::format("volume-{}", spec.volumes.size()), RandomVolumeSource(random)});
  }
}

void AddOwner(Random& random, api::Pod& pod) {
  if (!random.Chance(35)) return;
  api::OwnerReference owner;
  owner.kind = OneOf(random, {"ReplicaSet", "StatefulSet", "ReplicationController", "Job"});
  owner.api_version = owner.kind == "ReplicationController" ? "v1" : "apps/v1";
  if (owner.kind == "Job") owner.api_version = "batch/v1";
  owner.name = RandomOwnerName(random);
  owner.uid = "uid-of-" + owner.name;
  owner.controller = true;
  pod.metadata.owner_references.push_back(std::move(owner));
}

void RecordResize(Random& random, api::Pod& pod) {
  api::ContainerStatus status;
  status.name = pod.spec.containers[0].name;
  status.resources.emplace();
  status.resources->requests = RandomRequests(random);
  status.allocated_resources = RandomRequests(random);
  pod.status.container_statuses.push_back(std::move(status));
  if (random.Chance(40)) {
    pod.status.resources.emplace().requests = RandomRequests(random);
    pod.status.allocated_resources = RandomRequests(random);
  }
  if (random.Chance(40)) {
    api::PodCondition condition;
    condition.type = "PodResizePending";
    condition.status = "True";
    condition.reason = OneOf(random, {"Infeasible", "Deferred"});
    pod.status.conditions.push_back(std::move(condition));
  }
}

void RecordEviction(Random& random, Instant when, api::Pod& pod) {
  pod.metadata.deletion_timestamp = when;
  if (!random.Chance(50)) return;
  api::PodCondition condition;
  condition.type = "DisruptionTarget";
  condition.status = "True";
  condition.reason = OneOf(random, {"PreemptionByScheduler", "EvictionByEvictionAPI"});
  pod.status.conditions.push_back(std::move(condition));
}

}  // namespace

api::Pod RandomPod(Random& random, uint64_t number) {
  api::Pod pod;
  pod.metadata.name = fmt::format("pod-{:04}", number);
  pod.metadata.namespace_ = random.Chance(95) ? RandomNamespace(random) : "unlisted";
  pod.metadata.uid = "uid-of-" + pod.metadata.name;
  pod.metadata.labels = RandomPodLabels(random);
  pod.status.phase = "Pending";
  api::PodSpec& spec = pod.spec;
  spec.scheduler_name = "default-scheduler";
  if (random.Chance(90)) spec.priority = OneOf(random, {-10, 0, 0, 10, 10, 100, 1000});
  spec.preemption_policy = random.Chance(95) ? "PreemptLowerPriority" : "Never";
  if (random.Chance(4)) {
    spec.host_network = true;
    spec.host_users = false;
  }
  AddContainers(random, spec);
  AddTolerations(random, spec);
  AddNodeAffinity(random, spec);
  AddPodAffinity(random, spec);
  AddSpreadConstraints(random, spec);
  AddVolumes(random, spec);
  AddOwner(random, pod);
  return pod;
}

void Place(Random& random, uint64_t number, const std::string& node, api::Pod& pod) {
  // A prime's multiples modulo another never meet before they have met all.
  const auto second = static_cast<int64_t>(number * 7919 % 1'000'003);
  const Instant start = Instant::FromUnixSeconds(1'700'000'000 + second);
  pod.spec.node_name = node;
  pod.status.phase = "Running";
  pod.status.start_time = start;
  if (random.Chance(6)) RecordResize(random, pod);
  if (random.Chance(7)) RecordEviction(random, start + Duration::Seconds(60), pod);
}

}  // namespace berth::generate
