// PodGroup is a group of pods that are scheduled together: Kubernetes' own
// (scheduling.k8s.io/v1alpha2) or that of scheduler-plugins (scheduling.x-k8s.io/v1alpha1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/pod.h"

namespace berth::api {

struct PodGroup {
  ObjectMeta metadata;
  // Of a gang: members that must be placed for any of them to be bound. The policy is basic without
  // it: members are placed one by one.
  std::optional<int32_t> min_count;
  // The label of nodes whose value must be the same for all members. The API admits at most one.
  std::vector<std::string> topology_keys;
  std::string disruption_mode;  // "PodGroup": its members are evicted together.
  std::string priority_class_name;
  std::optional<int32_t> priority_value;  // Admission sets it from the class.
  std::vector<PodCondition> conditions;
  // Of scheduler-plugins: like min_count.
  std::optional<int32_t> min_member;
  friend bool operator==(const PodGroup&, const PodGroup&) = default;

  int32_t priority() const { return priority_value.value_or(0); }
};

// The names of scheduler-plugins' groups, in the model and in pod_group_name, begin with this: no
// other name has a slash.
inline constexpr std::string_view kCoschedulingPrefix = "scheduling.x-k8s.io/";
// Returns the group of scheduler-plugins as one of Kubernetes.
PodGroup FromCoscheduling(PodGroup group);
bool IsOfCoscheduling(const PodGroup& group);

// The name of the group of scheduler-plugins that the pod's labels refer to, with the prefix; empty
// if there is none.
std::string CoschedulingGroupOf(const Pod& pod);

}  // namespace berth::api
