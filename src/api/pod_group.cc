#include "api/pod_group.h"

#include <string_view>
#include <utility>

#include "api/coscheduling_labels.h"

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
  for (const std::string_view label : kCoschedulingLabels) {
    const auto found = pod.metadata.labels.find(label);
    if (found != pod.metadata.labels.end() && !found->second.empty())
      return std::string(kCoschedulingPrefix) + found->second;
  }
  return "";
}

}  // namespace berth::api
