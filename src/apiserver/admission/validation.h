// The forms that names may take.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

// Each returns what is wrong with `text`, or nothing.
std::optional<std::string> CheckDnsLabel(std::string_view text);      // RFC 1123, 63 characters.
std::optional<std::string> CheckDns1035Label(std::string_view text);  // Starts with a letter.
std::optional<std::string> CheckDnsSubdomain(std::string_view text);  // 253 characters.
std::optional<std::string> CheckPathSegment(std::string_view text);

// The form that the objects of `kind` are named in.
std::optional<std::string> CheckName(const api::scheme::Kind& kind, std::string_view name);

}  // namespace berth::apiserver::admission

namespace berth::api::scheme {

// Rules for the metadata of every kind.
struct Kind;
}  // namespace berth::api::scheme

namespace berth::apiserver::admission {

class FieldErrors;
class FieldPath;

// Of an object that is to be created or updated. The name may be missing if generateName is there.
void ValidateMetadata(const api::scheme::Kind& kind, const api::JsonObject& document,
                      FieldErrors& errors);
// No new finalizers once the object is being deleted.
void ValidateMetadataUpdate(const api::JsonObject& before, const api::JsonObject& after,
                            FieldErrors& errors);

// A map of labels, wherever it is (node selectors, templates).
void ValidateLabels(const api::Json* labels, const FieldPath& path, FieldErrors& errors);
// A label selector: matchLabels and matchExpressions.
void ValidateLabelSelector(const api::JsonObject* selector, const FieldPath& path,
                           FieldErrors& errors);

}  // namespace berth::apiserver::admission

namespace berth::api::scheme {

// What the objects of each kind must be like, checked after defaults and admission.
struct Kind;
}  // namespace berth::api::scheme

namespace berth::apiserver::admission {

class FieldErrors;
class FieldPath;

// All rules of a kind; metadata aside (validate_metadata.h).
void Validate(const api::scheme::Kind& kind, const api::JsonObject& document, FieldErrors& errors);
// What a client's update of the object itself may not change.
void ValidateUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                    const api::JsonObject& after, FieldErrors& errors);

// The pieces, each of one area.
void ValidatePodSpec(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors);
void ValidateContainers(const api::JsonObject* pod_spec, const FieldPath& path,
                        FieldErrors& errors);
void ValidateResources(const api::JsonObject* container, const FieldPath& path,
                       FieldErrors& errors);
void ValidatePlacement(const api::JsonObject* pod_spec, const FieldPath& path, FieldErrors& errors);
void ValidateNodeSelectorTerms(const api::JsonArray* terms, const FieldPath& path,
                               FieldErrors& errors);
void ValidateAffinity(const api::JsonObject* affinity, const FieldPath& path, FieldErrors& errors);
void ValidatePodUpdate(const api::JsonObject& before, const api::JsonObject& after,
                       FieldErrors& errors);

// False if the kind is not of the area.
bool ValidateWorkload(const api::scheme::Kind& kind, const api::JsonObject& document,
                      FieldErrors& errors);
bool ValidateWorkloadUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                            const api::JsonObject& after, FieldErrors& errors);
bool ValidateStorage(const api::scheme::Kind& kind, const api::JsonObject& document,
                     FieldErrors& errors);
bool ValidateStorageUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                           const api::JsonObject& after, FieldErrors& errors);
bool ValidateCluster(const api::scheme::Kind& kind, const api::JsonObject& document,
                     FieldErrors& errors);
bool ValidateClusterUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                           const api::JsonObject& after, FieldErrors& errors);

// `Invalid value: ...: field is immutable` if the two differ at `key`.
void Immutable(const api::JsonObject* before, const api::JsonObject* after, std::string_view key,
               const FieldPath& path, FieldErrors& errors);

}  // namespace berth::apiserver::admission
