// Whether a node is coming for a pod that fits nowhere: what cluster-autoscaler and Karpenter say
// in their events and objects.
#pragma once

#include <vector>

#include "api/json/json.h"
#include "base/time.h"
#include "explain/events.h"
#include "explain/wording.h"

namespace berth::explain {

struct AutoscalerFacts {
  Events of_pod;
  Events of_autoscaler;                      // About the ConfigMap of cluster-autoscaler.
  std::vector<api::JsonObject> node_claims;  // Karpenter's objects.
  Instant now;
};

// Returns `stuck`, the sentence about the pod, with what the autoscaler did last: that a node is
// coming, or that it cannot be had, decides; that none is added comes after.
Sentence WithAutoscaler(const Sentence& stuck, const AutoscalerFacts& facts);

}  // namespace berth::explain
