// The selector that stands for "pods like this one": derived from the Services and the controller
// that own a pod.
#pragma once

#include "api/pod.h"
#include "api/selector.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {

// All conditions of the Services that select the pod and of its ReplicationController, ReplicaSet
// or StatefulSet; Everything if there are none.
api::Selector DefaultSelector(const model::Cluster& cluster, const api::Pod& pod);

// Rises whenever DefaultSelector may give something else for some pod.
uint64_t DefaultSelectorVersion(const model::Cluster& cluster);

}  // namespace berth::scheduler::plugins
