// Random feature gates, in the combinations that kube-scheduler allows.
#pragma once

#include "base/random.h"
#include "scheduler/model/features.h"

namespace berth {

inline scheduler::model::Features RandomFeatures(Random& random) {
  scheduler::model::Features features;
  for (const auto& [name, field] : scheduler::model::kNamedFeatures)
    features.*field = random.Chance(50);
  // Gates depend on others.
  if (!features.pod_level_resources || !features.node_declared_features)
    features.in_place_pod_level_resources_vertical_scaling = false;
  if (!features.dra_resource_claim_device_status) features.dra_device_binding_conditions = false;
  if (!features.match_label_keys_in_pod_topology_spread)
    features.match_label_keys_in_pod_topology_spread_selector_merge = false;
  if (!features.generic_workload)
    features.gang_scheduling = features.topology_aware_workload_scheduling = false;
  if (!features.gang_scheduling) features.workload_aware_preemption = false;
  return features;
}

}  // namespace berth
