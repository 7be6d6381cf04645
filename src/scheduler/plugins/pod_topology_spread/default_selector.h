// The default selector of a pod: derived from the Services that select it and the controller that
// owns it.
#pragma once

#include "api/pod.h"
#include "api/selector.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {

// Returns all conditions of the Services that select the pod and of its ReplicationController,
// ReplicaSet or StatefulSet; Everything if there are none.
api::Selector DefaultSelector(const model::Cluster& cluster, const api::Pod& pod);

// Grows whenever DefaultSelector may change for some pod.
uint64_t DefaultSelectorVersion(const model::Cluster& cluster);

}  // namespace berth::scheduler::plugins
