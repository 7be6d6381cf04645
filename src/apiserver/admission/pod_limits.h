// The limits of a pod as a whole, and the resources of pods read from documents: for LimitRanges
// and ResourceQuotas.
#pragma once

#include "api/json/json.h"
#include "api/quantity.h"

namespace berth::apiserver::admission {

struct PodResources {
  api::ResourceList requests = {};
  api::ResourceList limits = {};
};

// Returns the sum of the pod's containers, as the scheduler computes it; with `overhead`, of the
// whole pod. Empty if the pod cannot be decoded: validation refuses it then.
PodResources ResourcesOfPod(const api::JsonObject& pod, bool overhead);

// Returns the quantities of an object such as `requests`; skips what is not a quantity.
api::ResourceList QuantitiesOf(const api::JsonObject* amounts);

}  // namespace berth::apiserver::admission
