// The strategies of the registry: which parts of an object a create, an update and an update of a
// subresource may set.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

// Returns "Guaranteed", "Burstable" or "BestEffort", depending on the requests and limits of cpu
// and memory.
std::string_view QosClassOf(const api::JsonObject* pod_spec);

// Resets the status of a new object, which the server sets, except for nodes. Called before
// defaulting.
void PrepareForCreate(const api::scheme::Kind& kind, api::JsonObject& document);
// Sets the derived fields: phase, QoS class and conditions of pods, and that API services without a
// service are available. Called after admission.
void CompleteCreate(const api::scheme::Kind& kind, api::JsonObject& document, Instant now);

// Adds "key is (not) as on the pod itself" to the selectors of topology spread constraints and pod
// (anti-)affinity terms, for each of their matchLabelKeys (mismatchLabelKeys) that the pod has as a
// label. Doing it twice changes nothing. Part of CompleteCreate. Spread constraints are left out
// without `spread`: the feature gate MatchLabelKeysInPodTopologySpreadSelectorMerge.
void MergeLabelKeys(api::JsonObject& pod, bool spread = true);

// Copies from `before` the fields that a write to `subresource` may not change; "" is the object
// itself.
void PrepareForUpdate(const api::scheme::Kind& kind, std::string_view subresource,
                      const api::JsonObject& before, api::JsonObject& after);

// Sets the condition `type` of `status` to `value`, with a reason and a message unless they are
// empty. Sets the transition time to `now` if the value changes.
void SetCondition(api::JsonObject& status, std::string_view type, std::string_view value,
                  std::string_view reason, std::string_view message, Instant now);

}  // namespace berth::apiserver::admission
