// What clients may leave out, filled in as Kubernetes does. Applying defaults twice changes
// nothing.
#pragma once

#include "kinds/json.h"

namespace berth::apiserver {

struct Kind;

// All defaults of the object, on create and update.
void ApplyDefaults(const Kind& kind, JsonObject& document);

// The pieces, each of one area.
void DefaultPod(JsonObject& pod);
// Of a pod or a template; what pods alone get (requests from limits, ...) is not part of it.
void DefaultPodSpec(JsonObject& spec);
void DefaultContainer(JsonObject& container);
void DefaultVolumes(JsonObject& pod_spec);
bool DefaultWorkload(const Kind& kind, JsonObject& document);  // False: not a workload.
bool DefaultStorage(const Kind& kind, JsonObject& document);
bool DefaultBatch(const Kind& kind, JsonObject& document);
void DefaultService(JsonObject& service);

}  // namespace berth::apiserver
