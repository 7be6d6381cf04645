// SmallWorld is a random cluster as a list of objects: nodes, pods on some of them, namespaces.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/small_objects.h"

namespace berth {

// The claim `name`, the volume that it is bound to, and limits for its driver on some nodes.
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

inline std::vector<api::Object> SmallWorld(Random& random) {
  std::vector<api::Object> objects;
  const uint64_t nodes = 1 + random.Below(12);
  for (uint64_t i = 0; i < nodes; ++i) {
    objects.push_back(std::make_shared<const api::Node>(SmallNode(random, fmt::format("n{}", i))));
  }
  for (uint64_t i = random.Below(20); i > 0; --i) {
    api::Pod pod = SmallPod(random, fmt::format("p{}", i));
    // Beyond the last: a node that is not there.
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
