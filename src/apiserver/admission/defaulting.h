// Quantities in documents, written as the stock server writes them: "1.5" cpu becomes "1500m".
#pragma once

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

// Rewrites the quantities of `document`. One that cannot be read is BadRequest: it names the field.
api::scheme::ApiResult<void> CanonicalizeQuantities(const api::scheme::Kind& kind,
                                                    api::JsonObject& document);

}  // namespace berth::apiserver::admission

namespace berth::api::scheme {

// What clients may leave out, filled in as Kubernetes does. Applying defaults twice changes
// nothing.
struct Kind;
}  // namespace berth::api::scheme

namespace berth::apiserver::admission {

// All defaults of the object, on create and update.
void ApplyDefaults(const api::scheme::Kind& kind, api::JsonObject& document);

// The pieces, each of one area.
void DefaultPod(api::JsonObject& pod);
// Of a pod or a template; what pods alone get (requests from limits, ...) is not part of it.
void DefaultPodSpec(api::JsonObject& spec);
void DefaultContainer(api::JsonObject& container);
void DefaultVolumes(api::JsonObject& pod_spec);
bool DefaultWorkload(const api::scheme::Kind& kind,
                     api::JsonObject& document);  // False: not a workload.
bool DefaultStorage(const api::scheme::Kind& kind, api::JsonObject& document);
bool DefaultBatch(const api::scheme::Kind& kind, api::JsonObject& document);
void DefaultService(api::JsonObject& service);

}  // namespace berth::apiserver::admission
