// The objects that own or select pods: Service, ReplicationController, ReplicaSet, StatefulSet,
// PodDisruptionBudget; and PriorityClass.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "api/meta.h"

namespace berth::api {

struct Service {
  ObjectMeta metadata;
  std::optional<StringMap> selector;  // An empty map selects every pod; none selects nothing.
  friend bool operator==(const Service&, const Service&) = default;
};

struct ReplicationController {
  ObjectMeta metadata;
  StringMap selector;
  friend bool operator==(const ReplicationController&, const ReplicationController&) = default;
};

struct ReplicaSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  friend bool operator==(const ReplicaSet&, const ReplicaSet&) = default;
};

struct StatefulSet {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  friend bool operator==(const StatefulSet&, const StatefulSet&) = default;
};

struct PodDisruptionBudget {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  int32_t disruptions_allowed = 0;
  std::set<std::string, std::less<>> disrupted_pods;  // Names; status.disruptedPods.
  friend bool operator==(const PodDisruptionBudget&, const PodDisruptionBudget&) = default;
};

struct PriorityClass {
  ObjectMeta metadata;
  int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy;
  friend bool operator==(const PriorityClass&, const PriorityClass&) = default;
};

}  // namespace berth::api
