#include "explain/workload.h"

#include <utility>

#include "api/object.h"
#include "explain/obstacle.h"
#include "scheduler/model/objects.h"

namespace berth::explain {
namespace {

bool HasTemplate(const std::string& kind) {
  return kind == "Deployment" || kind == "ReplicaSet" || kind == "StatefulSet" ||
         kind == "DaemonSet" || kind == "ReplicationController" || kind == "Job";
}

// Returns what controls the pod's ReplicaSet, with an empty kind if nothing does. A ReplicaSet that
// the model does not have is taken for one of a Deployment if its name ends as those do.
api::OwnerReference OwnerOfReplicaSet(const scheduler::model::Cluster& cluster, const api::Pod& pod,
                                      const api::OwnerReference& owner) {
  if (owner.kind != "ReplicaSet") return {};
  const auto* set = cluster.objects<api::ReplicaSet>().Find({pod.metadata.namespace_, owner.name});
  if (set != nullptr) {
    const api::OwnerReference* outer = ControllerOf(set->metadata);
    return outer == nullptr ? api::OwnerReference() : *outer;
  }
  const auto hash = pod.metadata.labels.find("pod-template-hash");
  if (hash == pod.metadata.labels.end() || !owner.name.ends_with("-" + hash->second)) return {};
  api::OwnerReference deployment;
  deployment.api_version = "apps/v1";
  deployment.kind = "Deployment";
  deployment.name = owner.name.substr(0, owner.name.size() - hash->second.size() - 1);
  return deployment;
}

}  // namespace

Workload WorkloadOf(const scheduler::model::Cluster& cluster, const api::Pod& pod) {
  const api::OwnerReference* direct = ControllerOf(pod.metadata);
  api::OwnerReference owner = direct == nullptr ? api::OwnerReference() : *direct;
  if (const auto outer = OwnerOfReplicaSet(cluster, pod, owner); !outer.kind.empty()) owner = outer;
  if (!HasTemplate(owner.kind)) {
    return {{"v1", "Pod", {pod.metadata.namespace_, pod.metadata.name}}, "", false};
  }
  return {{owner.api_version, owner.kind, {pod.metadata.namespace_, owner.name}},
          "/spec/template",
          owner.kind != "Job"};
}

bool BelongsTo(const scheduler::model::Cluster& cluster, const api::Pod& pod,
               const std::string& kind, const api::ObjectKey& key) {
  const api::OwnerReference* owner = ControllerOf(pod.metadata);
  if (owner == nullptr || pod.metadata.namespace_ != key.namespace_) return false;
  if (owner->kind == kind && owner->name == key.name) return true;
  const api::OwnerReference outer = OwnerOfReplicaSet(cluster, pod, *owner);
  return outer.kind == kind && outer.name == key.name;
}

}  // namespace berth::explain
