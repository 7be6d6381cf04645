// The conversion between the forms of kinds that represent the same objects: core/v1 and
// events.k8s.io/v1 events, and the versions v1 and v2 of HorizontalPodAutoscalers. Objects are
// stored in the form of scheme::StoredKind.
#pragma once

#include <string>

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

// Convert an object of `kind` to the stored form, and back. They do nothing if `kind` is the stored
// form itself. The caller sets kind and apiVersion, which ToStored removes.
void ToStored(const api::scheme::Kind& kind, api::JsonObject& object);
void FromStored(const api::scheme::Kind& kind, api::JsonObject& object);

// Returns the JSON of a stored object in the form of `kind`.
std::string ConvertStored(const api::scheme::Kind& kind, const store::Object& object);

// The parts of ToStored and FromStored by kind.

void ToCoreEvent(api::JsonObject& event);
void FromCoreEvent(api::JsonObject& event);
// autoscaling/v1 has one metric, the CPU utilization. What else v2 has is in annotations, as in
// kube-apiserver.
// DIFFERS: the annotations have the form of v2.
void ToAutoscalerV2(api::JsonObject& autoscaler);
void ToAutoscalerV1(api::JsonObject& autoscaler);

}  // namespace berth::apiserver::registry
