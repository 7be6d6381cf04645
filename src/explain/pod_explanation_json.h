// Formats explanations as JSON documents of the API berth.dev/v1: what `berth why -o json` prints.
// docs/why.md describes the fields, docs/schema/why.schema.json is their JSON Schema.
#pragma once

#include "api/json/json.h"
#include "explain/pod_explanation.h"
#include "explain/pod_groups.h"

namespace berth::explain {

inline constexpr const char* kApiVersion = "berth.dev/v1";

// A document of kind PodExplanation.
api::JsonObject ToJson(const PodExplanation& pod);

// A document of kind PodGroupExplanation.
api::JsonObject ToJson(const GroupExplanation& group);

// A document of kind PodExplanationGroups. `subject` is the workload; null for all pending pods.
api::JsonObject ToJson(const PodGroups& groups, const ObjectName* subject);

// A document of kind FixPatches: how the fix of that number, counted from 1, is made.
api::JsonObject PatchesJson(const PodExplanation& pod, size_t number);

}  // namespace berth::explain
