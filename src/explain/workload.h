// The workload that a pod belongs to: what users change, since most fields of a pod cannot be
// changed.
#pragma once

#include <string>

#include "api/pod.h"
#include "explain/change.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {

struct Workload {
  ObjectName name;               // The pod itself if it has no controller that is known.
  std::string pod_path = {};     // Of the pod in the object, for patches: "/spec/template".
  bool changes_in_place = true;  // Otherwise the object must be created again.
};

// Returns the outermost controller that the model knows: the Deployment of a ReplicaSet.
Workload WorkloadOf(const scheduler::model::Cluster& cluster, const api::Pod& pod);

// Reports whether the pod belongs to the workload: "Deployment", {"shop", "web"}.
bool BelongsTo(const scheduler::model::Cluster& cluster, const api::Pod& pod,
               const std::string& kind, const api::ObjectKey& key);

}  // namespace berth::explain
