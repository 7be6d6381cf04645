// Obstacle is a plugin that keeps a pod off a node. The functions of pod_changes.h, node_changes.h
// and volume_changes.h return the changes that may remove one; whether they do is decided by
// deciding again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "api/node.h"
#include "api/pod.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {

struct Obstacle {
  const scheduler::model::Cluster& cluster;
  const api::Pod& pod;    // With the changes so far.
  const api::Node& node;  // Likewise.
  scheduler::model::NodeRow row;
  std::string_view plugin;
};

// Returns the controller of the object; null if it has none.
const api::OwnerReference* ControllerOf(const api::ObjectMeta& meta);
// Reports whether a DaemonSet controls the pod: it belongs to its node.
bool IsDaemon(const api::Pod& pod);

// Reports whether the taint is that of a cordoned node.
bool IsCordonTaint(const api::Taint& taint);
// Reports whether the node controllers set and remove the taint: while the node is cordoned, or a
// condition holds. Such a node is not one to run on, and the taint comes back if it is removed.
bool IsSetByControllers(const api::Taint& taint);

// "example.com/gpu=true:NoSchedule", as kubectl writes it.
std::string TextOf(const api::Taint& taint);
// "app=web,tier in (a, b)"
std::string TextOf(const api::LabelSelector& selector);
// "disk In [ssd]"
std::string TextOf(const api::NodeSelectorRequirement& requirement);

// Returns the pods on the node, by namespace and name.
std::vector<api::Ref<api::Pod>> PodsOn(const scheduler::model::Cluster& cluster,
                                       scheduler::model::NodeRow row);

}  // namespace berth::explain
