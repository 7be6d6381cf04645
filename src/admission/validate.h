// What the objects of each kind must be like, checked after defaults and admission.
#pragma once

#include <string_view>

#include "kinds/json.h"

namespace berth::apiserver {

class FieldErrors;
class FieldPath;
struct Kind;

// All rules of a kind; metadata aside (validate_metadata.h).
void Validate(const Kind& kind, const JsonObject& document, FieldErrors& errors);
// What a client's update of the object itself may not change.
void ValidateUpdate(const Kind& kind, const JsonObject& before, const JsonObject& after,
                    FieldErrors& errors);

// The pieces, each of one area.
void ValidatePodSpec(const JsonObject* spec, const FieldPath& path, FieldErrors& errors);
void ValidateContainers(const JsonObject* pod_spec, const FieldPath& path, FieldErrors& errors);
void ValidateResources(const JsonObject* container, const FieldPath& path, FieldErrors& errors);
void ValidatePlacement(const JsonObject* pod_spec, const FieldPath& path, FieldErrors& errors);
void ValidateNodeSelectorTerms(const JsonArray* terms, const FieldPath& path, FieldErrors& errors);
void ValidateAffinity(const JsonObject* affinity, const FieldPath& path, FieldErrors& errors);
void ValidatePodUpdate(const JsonObject& before, const JsonObject& after, FieldErrors& errors);

// False if the kind is not of the area.
bool ValidateWorkload(const Kind& kind, const JsonObject& document, FieldErrors& errors);
bool ValidateWorkloadUpdate(const Kind& kind, const JsonObject& before, const JsonObject& after,
                            FieldErrors& errors);
bool ValidateStorage(const Kind& kind, const JsonObject& document, FieldErrors& errors);
bool ValidateStorageUpdate(const Kind& kind, const JsonObject& before, const JsonObject& after,
                           FieldErrors& errors);
bool ValidateCluster(const Kind& kind, const JsonObject& document, FieldErrors& errors);
bool ValidateClusterUpdate(const Kind& kind, const JsonObject& before, const JsonObject& after,
                           FieldErrors& errors);

// `Invalid value: ...: field is immutable` if the two differ at `key`.
void Immutable(const JsonObject* before, const JsonObject* after, std::string_view key,
               const FieldPath& path, FieldErrors& errors);

}  // namespace berth::apiserver
