// Random Kubernetes objects with values from small pools, so that they refer to each other.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "testing/object_builders.h"

namespace berth {

template <typename T>
const T& Pick(Random& random, const std::vector<T>& choices) {
  return choices[random.Below(choices.size())];
}

inline std::string Pick(Random& random, std::initializer_list<const char*> choices) {
  return choices.begin()[random.Below(choices.size())];
}

template <typename T>
void ShuffleAll(Random& random, std::vector<T>& items) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.Below(i)]);
}

// The topology keys of random nodes and pods.
inline constexpr const char* kTopologyKeys[] = {"zone", "rack"};

inline api::LabelSelector SmallSelector(Random& random) {
  api::LabelSelector selector;
  if (random.Chance(70)) selector.match_labels["app"] = Pick(random, {"web", "db"});
  if (random.Chance(20)) {
    selector.match_expressions.push_back(
        {"tier", random.Chance(50) ? "Exists" : "DoesNotExist", {}});
  }
  return selector;
}

// The capacity is small compared with the requests of pods, so that nodes fill up.
inline api::Node SmallNode(Random& random, const std::string& name) {
  MakeNode node(name);
  node.Cpu(Pick(random, {"1", "2", "3500m", "8"}));
  node.Memory(Pick(random, {"1Gi", "2Gi", "8Gi"}));
  node.Pods(Pick(random, {"2", "5", "110"}));
  if (random.Chance(30)) node.Offer("ephemeral-storage", "10Gi");
  if (random.Chance(40)) node.Offer("example.com/gpu", Pick(random, {"0", "1", "4"}));
  if (random.Chance(20)) node.Offer("hugepages-2Mi", "64Mi");
  if (random.Chance(70)) node.Label("zone", Pick(random, {"a", "b", "c"}));
  if (random.Chance(50)) node.Label("rack", Pick(random, {"1", "2", "3", "4"}));
  if (random.Chance(50)) node.Zone(Pick(random, {"east", "west"}));
  if (random.Chance(30)) node.Label("disk", Pick(random, {"ssd", "hdd"}));
  if (random.Chance(25)) {
    node.Taint("dedicated", Pick(random, {"db", "batch"}),
               Pick(random, {"NoSchedule", "PreferNoSchedule", "NoExecute"}));
  }
  if (random.Chance(10)) node.Taint("flaky", "", "PreferNoSchedule");
  if (random.Chance(10)) node.Cordoned();
  for (const char* image : {"app:1", "db:9"}) {
    if (random.Chance(40))
      node.Image(image, 1'000'000 * (1 + static_cast<int64_t>(random.Below(900))));
  }
  if (random.Chance(30)) node.Declares(Pick(random, {"FeatureA", "FeatureB"}));
  return node;
}

inline api::PodAffinityTerm SmallAffinityTerm(Random& random) {
  api::PodAffinityTerm term;
  if (random.Chance(90)) term.label_selector = SmallSelector(random);
  term.topology_key = Pick(random, {kTopologyKeys[0], kTopologyKeys[1]});
  if (random.Chance(20)) term.namespaces = {"other"};
  if (random.Chance(20)) {
    term.namespace_selector.emplace();
    if (random.Chance(60)) term.namespace_selector->match_labels["team"] = "x";
  }
  return term;
}

inline void AddSmallAffinity(Random& random, api::PodSpec& spec) {
  api::Affinity& affinity = spec.affinity.emplace();
  if (random.Chance(40)) {
    api::NodeAffinity& node = affinity.node_affinity.emplace();
    if (random.Chance(50)) {
      node.required.emplace().terms = {
          {{{"zone", Pick(random, {"In", "NotIn"}), {Pick(random, {"a", "b"})}}}, {}}};
    }
    if (random.Chance(50)) node.preferred = {{10, {{{"disk", "In", {"ssd"}}}, {}}}};
  }
  if (random.Chance(30)) affinity.pod_affinity.emplace().required = {SmallAffinityTerm(random)};
  if (random.Chance(30)) {
    if (!affinity.pod_affinity) affinity.pod_affinity.emplace();
    affinity.pod_affinity->preferred = {{5, SmallAffinityTerm(random)}};
  }
  if (random.Chance(30))
    affinity.pod_anti_affinity.emplace().required = {SmallAffinityTerm(random)};
  if (random.Chance(30)) {
    if (!affinity.pod_anti_affinity) affinity.pod_anti_affinity.emplace();
    affinity.pod_anti_affinity->preferred = {{7, SmallAffinityTerm(random)}};
  }
}

inline api::TopologySpreadConstraint SmallSpread(Random& random) {
  api::TopologySpreadConstraint spread;
  spread.max_skew = 1 + static_cast<int32_t>(random.Below(2));
  spread.topology_key = Pick(random, {kTopologyKeys[0], kTopologyKeys[1]});
  spread.when_unsatisfiable = Pick(random, {"DoNotSchedule", "ScheduleAnyway"});
  spread.label_selector = SmallSelector(random);
  if (spread.when_unsatisfiable == "DoNotSchedule" && random.Chance(20)) spread.min_domains = 2;
  if (random.Chance(20)) spread.node_taints_policy = "Honor";
  if (random.Chance(20)) spread.node_affinity_policy = "Ignore";
  return spread;
}

// A pending pod.
inline api::Pod SmallPod(Random& random, const std::string& name) {
  MakePod pod(name);
  if (random.Chance(80)) pod.Request("cpu", Pick(random, {"100m", "500m", "1", "2"}));
  if (random.Chance(60)) pod.Request("memory", Pick(random, {"128Mi", "1Gi"}));
  if (random.Chance(20)) pod.Request("example.com/gpu", Pick(random, {"0", "1", "2"}));
  if (random.Chance(5)) pod.Request("example.com/rare", "1");
  if (random.Chance(15)) {
    pod.HostPort(Pick(random, std::vector<int32_t>{80, 81}), Pick(random, {"TCP", "UDP"}),
                 Pick(random, {"", "10.0.0.1", "10.0.0.2"}));
  }
  pod.Image(Pick(random, {"app:1", "db:9", "none"}));
  if (random.Chance(80)) pod.Label("app", Pick(random, {"web", "db"}));
  if (random.Chance(30)) pod.Label("tier", Pick(random, {"front", "back"}));
  if (random.Chance(40)) pod.Priority(static_cast<int32_t>(random.Below(3)) * 100);
  if (random.Chance(20)) pod.NodeSelector("disk", Pick(random, {"ssd", "hdd"}));
  if (random.Chance(30)) pod.Tolerates("dedicated", Pick(random, {"db", "batch"}), "");
  if (random.Chance(10)) pod.Tolerates("node.kubernetes.io/unschedulable", "", "NoSchedule");
  if (random.Chance(20)) pod.Mounts(Pick(random, {"data", "logs"}));
  if (random.Chance(40)) AddSmallAffinity(random, pod.object.spec);
  if (random.Chance(30)) pod.object.spec.topology_spread_constraints = {SmallSpread(random)};
  return pod;
}

// Appends the claim `name`, its volume, and limits for the volume's driver on some nodes.
inline void AddSmallClaim(Random& random, const std::string& name, uint64_t nodes,
                          std::vector<api::Object>& objects) {
  const std::string driver = name + ".example.com";
  api::PersistentVolume volume;
  volume.metadata.name = "volume-of-" + name;
  volume.source = api::CsiPersistentVolumeSource{driver, "handle-of-" + name};
  volume.claim_ref = api::ObjectReference{.namespace_ = "default", .name = name};
  if (random.Chance(50)) {
    volume.node_affinity.emplace().terms = {{{{"zone", "In", {"a", "b"}}}, {}}};
  }
  if (random.Chance(30)) volume.metadata.labels["topology.kubernetes.io/zone"] = "east";

  api::PersistentVolumeClaim claim;
  claim.metadata.name = name;
  claim.metadata.namespace_ = "default";
  claim.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  claim.volume_name = volume.metadata.name;
  claim.access_modes = {random.Chance(30) ? "ReadWriteOncePod" : "ReadWriteOnce"};
  claim.phase = "Bound";

  for (uint64_t i = 0; i < nodes; ++i) {
    if (random.Chance(50)) continue;
    api::CsiNode limits;
    limits.metadata.name = fmt::format("n{}", i);
    limits.drivers = {{.name = driver, .node_id = limits.metadata.name}};
    limits.drivers[0].allocatable_count = static_cast<int32_t>(random.Below(2));
    objects.push_back(std::make_shared<const api::CsiNode>(limits));
  }
  objects.push_back(std::make_shared<const api::PersistentVolume>(volume));
  objects.push_back(std::make_shared<const api::PersistentVolumeClaim>(claim));
}

inline std::vector<api::Object> SmallCluster(Random& random) {
  std::vector<api::Object> objects;
  const uint64_t nodes = 1 + random.Below(12);
  for (uint64_t i = 0; i < nodes; ++i) {
    objects.push_back(std::make_shared<const api::Node>(SmallNode(random, fmt::format("n{}", i))));
  }
  for (uint64_t i = random.Below(20); i > 0; --i) {
    api::Pod pod = SmallPod(random, fmt::format("p{}", i));
    // One number more than there are nodes: a node that does not exist.
    pod.spec.node_name = fmt::format("n{}", random.Below(nodes + 1));
    if (random.Chance(20)) pod.metadata.namespace_ = "other";
    if (random.Chance(10)) pod.metadata.deletion_timestamp = Instant::FromUnixSeconds(1);
    objects.push_back(std::make_shared<const api::Pod>(pod));
  }
  for (const char* name : {"default", "other"}) {
    api::Namespace space;
    space.metadata.name = name;
    if (random.Chance(50)) space.metadata.labels["team"] = "x";
    objects.push_back(std::make_shared<const api::Namespace>(space));
  }
  AddSmallClaim(random, random.Chance(50) ? "data" : "logs", nodes, objects);
  if (random.Chance(50)) {
    api::Service service;
    service.metadata = {.name = "web", .namespace_ = "default"};
    service.selector.emplace()["app"] = "web";
    objects.push_back(std::make_shared<const api::Service>(service));
  }
  return objects;
}

}  // namespace berth
