// The kinds that kubelets and controllers work on.
#pragma once

#include "kinds/kinds.h"

namespace berth::world {

using apiserver::Kind;

inline const Kind& Pods() {
  static const Kind& kind = apiserver::KindOf("pods");
  return kind;
}
inline const Kind& Nodes() {
  static const Kind& kind = apiserver::KindOf("nodes");
  return kind;
}
inline const Kind& Namespaces() {
  static const Kind& kind = apiserver::KindOf("namespaces");
  return kind;
}
inline const Kind& Leases() {
  static const Kind& kind = apiserver::KindOf("leases.coordination.k8s.io");
  return kind;
}
inline const Kind& ReplicaSets() {
  static const Kind& kind = apiserver::KindOf("replicasets.apps");
  return kind;
}
inline const Kind& ReplicationControllers() {
  static const Kind& kind = apiserver::KindOf("replicationcontrollers");
  return kind;
}
inline const Kind& Deployments() {
  static const Kind& kind = apiserver::KindOf("deployments.apps");
  return kind;
}
inline const Kind& StatefulSets() {
  static const Kind& kind = apiserver::KindOf("statefulsets.apps");
  return kind;
}
inline const Kind& DaemonSets() {
  static const Kind& kind = apiserver::KindOf("daemonsets.apps");
  return kind;
}
inline const Kind& ControllerRevisions() {
  static const Kind& kind = apiserver::KindOf("controllerrevisions.apps");
  return kind;
}
inline const Kind& Jobs() {
  static const Kind& kind = apiserver::KindOf("jobs.batch");
  return kind;
}
inline const Kind& DisruptionBudgets() {
  static const Kind& kind = apiserver::KindOf("poddisruptionbudgets.policy");
  return kind;
}
inline const Kind& Claims() {
  static const Kind& kind = apiserver::KindOf("persistentvolumeclaims");
  return kind;
}
inline const Kind& Volumes() {
  static const Kind& kind = apiserver::KindOf("persistentvolumes");
  return kind;
}
inline const Kind& StorageClasses() {
  static const Kind& kind = apiserver::KindOf("storageclasses.storage.k8s.io");
  return kind;
}

}  // namespace berth::world
