// SmallWorld is a random cluster as a list of objects: nodes, pods on some of them, namespaces.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/small_objects.h"

namespace berth {

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
  if (random.Chance(50)) {
    api::Service service;
    service.metadata = {.name = "web", .namespace_ = "default"};
    service.selector.emplace()["app"] = "web";
    objects.push_back(std::make_shared<const api::Service>(service));
  }
  return objects;
}

}  // namespace berth
