// The wire names of the fields of Service, the owners of pods, PodDisruptionBudget and
// PriorityClass; see json_fields.h.
#pragma once

#include "api/json_fields.h"
#include "api/workloads.h"

namespace berth::api {

template <typename T>
concept HasSpecSelector = Like<T, Service> || Like<T, ReplicationController> ||
                          Like<T, ReplicaSet> || Like<T, StatefulSet>;

void Fields(auto& v, HasSpecSelector auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) { spec("selector", t.selector); });
}

void Fields(auto& v, Like<PodDisruptionBudget> auto& t) {
  v.Required("metadata", t.metadata);
  v.Group("spec", [&](auto& spec) { spec("selector", t.selector); });
  v.Group("status", [&](auto& status) {
    status.Required("disruptionsAllowed", t.disruptions_allowed);
    status.Keys("disruptedPods", t.disrupted_pods);
  });
}

void Fields(auto& v, Like<PriorityClass> auto& t) {
  v.Required("metadata", t.metadata);
  v.Required("value", t.value);
  v("globalDefault", t.global_default);
  v("preemptionPolicy", t.preemption_policy);
}

}  // namespace berth::api
