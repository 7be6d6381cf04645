#include "api/pod_group.h"

#include <utility>

namespace berth::api {

PodGroup FromCoscheduling(PodGroup group) {
  group.metadata.name.insert(0, kCoschedulingPrefix);
  group.min_count = group.min_member.value_or(1);
  return group;
}

bool IsOfCoscheduling(const PodGroup& group) {
  return group.metadata.name.starts_with(kCoschedulingPrefix);
}

std::string CoschedulingGroupOf(const Pod& pod) {
  // The second one is that of releases before v0.22.
  for (const char* label : {"scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io"}) {
    const auto found = pod.metadata.labels.find(label);
    if (found != pod.metadata.labels.end() && !found->second.empty())
      return std::string(kCoschedulingPrefix) + found->second;
  }
  return "";
}

}  // namespace berth::api
