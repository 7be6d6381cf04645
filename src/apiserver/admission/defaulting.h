// Defaulting: fills in the fields that clients may omit, as kube-apiserver does, and writes
// quantities in canonical form. Idempotent.
#pragma once

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

// Rewrites the quantities of `document` in canonical form: "1.5" cpu becomes "1500m". Returns
// BadRequest, naming the field, for an invalid one.
api::scheme::ApiResult<void> CanonicalizeQuantities(const api::scheme::Kind& kind,
                                                    api::JsonObject& document);

// Applies all defaults of an object, on create and update.
void ApplyDefaults(const api::scheme::Kind& kind, api::JsonObject& document);

// The parts of ApplyDefaults by area.

void DefaultPod(api::JsonObject& pod);
// Applies the defaults of pods and templates, without those of pods only (requests from limits,
// ...).
void DefaultPodSpec(api::JsonObject& spec);
void DefaultContainer(api::JsonObject& container);
void DefaultVolumes(api::JsonObject& pod_spec);
// The next three return false if the kind does not belong to the area.
bool DefaultWorkload(const api::scheme::Kind& kind, api::JsonObject& document);
bool DefaultStorage(const api::scheme::Kind& kind, api::JsonObject& document);
bool DefaultBatch(const api::scheme::Kind& kind, api::JsonObject& document);
void DefaultService(api::JsonObject& service);
// The kinds that belong to none of the areas above.
void DefaultGroups(const api::scheme::Kind& kind, api::JsonObject& document);

}  // namespace berth::apiserver::admission
