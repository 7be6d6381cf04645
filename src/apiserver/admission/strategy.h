// The quality of service of a pod: how sure it can be of its resources.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "base/time.h"

namespace berth::apiserver::admission {

// "Guaranteed", "Burstable" or "BestEffort", by what the spec requests and limits of cpu and
// memory.
std::string_view QosClassOf(const api::JsonObject* pod_spec);

}  // namespace berth::apiserver::admission

namespace berth::api::scheme {

// What of a request counts: which parts of an object its creator, an update of the object and an
// update of its status may set.
struct Kind;
}  // namespace berth::api::scheme

namespace berth::apiserver::admission {

// Before defaults: the status of a new object is the server's to set, but for nodes.
void PrepareForCreate(const api::scheme::Kind& kind, api::JsonObject& document);
// After admission: what follows from the rest.
void CompleteCreate(const api::scheme::Kind& kind, api::JsonObject& document, Instant now);

// Adds "key is (not) as on the pod itself" to the selectors of topology spread constraints and pod
// (anti-)affinity terms, for each of their matchLabelKeys (mismatchLabelKeys) that the pod has as a
// label. Doing it twice changes nothing. Part of CompleteCreate.
void MergeLabelKeys(api::JsonObject& pod);

// Takes over from `before` what a write of `subresource` does not change ("" is the object itself).
void PrepareForUpdate(const api::scheme::Kind& kind, std::string_view subresource,
                      const api::JsonObject& before, api::JsonObject& after);

// Makes the condition `type` of `status` be `value`, with a reason and a message unless they are
// empty. The transition time is `now` if the value changes.
void SetCondition(api::JsonObject& status, std::string_view type, std::string_view value,
                  std::string_view reason, std::string_view message, Instant now);

}  // namespace berth::apiserver::admission
