// PodGroup is a group of pods that are scheduled together (scheduling.k8s.io/v1alpha2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  friend bool operator==(const PodGroup&, const PodGroup&) = default;

  int32_t priority() const { return priority_value.value_or(0); }
};

}  // namespace berth::api
