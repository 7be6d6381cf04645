// What is wrong with a pod besides scheduling, or decides about it elsewhere, as its raw JSON and
// its events tell: containers that do not start, images that cannot be pulled, finalizers, nodes
// that an autoscaler adds or does not add, pods that were never created.
#pragma once

#include <optional>
#include <vector>

#include "api/json/json.h"
#include "explain/wording.h"

namespace berth::explain {

using Events = std::vector<api::JsonObject>;  // In the order of their times.

// Returns what keeps a pod that has a node, or is being deleted, from running; nothing if it runs.
std::optional<Sentence> TroubleOf(const api::JsonObject& pod, const Events& events);

// Returns `stuck`, the sentence about a pod that fits nowhere, with what cluster-autoscaler or
// Karpenter says about it: that a node is coming decides, that none is comes after.
Sentence WithAutoscaler(const Sentence& stuck, const Events& events);

// Returns why pods of a workload were not created: by its conditions, or by the events of it and
// its ReplicaSets. Nothing if they were.
std::optional<Sentence> NotCreated(const api::JsonObject& workload, const Events& events);

}  // namespace berth::explain
