// The conversion between the forms of kinds that represent the same objects: core/v1 and
// events.k8s.io/v1 events, the versions v1 and v2 of HorizontalPodAutoscalers, and the versions of
// custom resources. Objects are stored in the form of scheme::StoredKind.
#pragma once

#include "api/json/json.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

// Returns the object in the form of `kind`: nearly always the object itself. The objects of a
// custom kind that an earlier schema has admitted are converted, too: defaulted, and pruned.
store::ObjectPtr InForm(const api::scheme::Kind& kind, const store::ObjectPtr& object);
// Converts the parsed document of a stored object likewise.
void ToForm(const api::scheme::Kind& kind, const store::Object& object, api::JsonObject& document);

// Returns the kind in whose form a write to `kind` is defaulted and validated: that which is
// stored, except that each version of a custom kind has a schema of its own.
const api::scheme::Kind& AdmissionKind(const api::scheme::Kind& kind);
// Converts an object of `kind` from a client to that form. The caller sets apiVersion, which is
// removed if it changes.
void ToAdmissionForm(const api::scheme::Kind& kind, api::JsonObject& object);

// The parts by kind.

void ToCoreEvent(api::JsonObject& event);
void FromCoreEvent(api::JsonObject& event);
// autoscaling/v1 has one metric, the CPU utilization. What else v2 has is in annotations, as in
// kube-apiserver.
// DIFFERS: the annotations have the form of v2.
void ToAutoscalerV2(api::JsonObject& autoscaler);
void ToAutoscalerV1(api::JsonObject& autoscaler);

}  // namespace berth::apiserver::registry
