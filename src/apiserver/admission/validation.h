// Validation of objects after defaulting and admission: names, metadata, and the rules of each
// kind.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

inline constexpr std::string_view kRequiredDuringScheduling =
    "requiredDuringSchedulingIgnoredDuringExecution";

class FieldErrors;
class FieldPath;

// The Check functions return the error of a name, or nullopt.
std::optional<std::string> CheckDnsLabel(std::string_view text);      // RFC 1123, 63 characters.
std::optional<std::string> CheckDns1035Label(std::string_view text);  // Starts with a letter.
std::optional<std::string> CheckDnsSubdomain(std::string_view text);  // 253 characters.
std::optional<std::string> CheckPathSegment(std::string_view text);
std::optional<std::string> CheckConfigMapKey(std::string_view text);

// Checks the name of an object of `kind`.
std::optional<std::string> CheckName(const api::scheme::Kind& kind, std::string_view name);

// Validates the metadata of a created or updated object. The name may be missing if there is a
// generateName.
void ValidateMetadata(const api::scheme::Kind& kind, const api::JsonObject& document,
                      FieldErrors& errors);
// Rejects new finalizers of an object that is being deleted.
void ValidateMetadataUpdate(const api::JsonObject& before, const api::JsonObject& after,
                            FieldErrors& errors);

// Validates a map of labels in any field (metadata, node selectors, templates).
void ValidateLabels(const api::Json* labels, const FieldPath& path, FieldErrors& errors);
void ValidateLabelSelector(const api::JsonObject* selector, const FieldPath& path,
                           FieldErrors& errors);

// Validates everything except the metadata. `before` is the stored object of an update, or null:
// kinds of devices accept what was accepted before.
void Validate(const api::scheme::Kind& kind, const api::JsonObject& document, FieldErrors& errors,
              const api::JsonObject* before = nullptr);
// Rejects changes of immutable fields.
void ValidateUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                    const api::JsonObject& after, FieldErrors& errors);

// The parts of Validate and ValidateUpdate by area.

void ValidatePodSpec(const api::JsonObject* spec, const FieldPath& path, FieldErrors& errors);
void ValidateContainers(const api::JsonObject* pod_spec, const FieldPath& path,
                        FieldErrors& errors);
void ValidateResources(const api::JsonObject* container, const FieldPath& path,
                       FieldErrors& errors);
// Checks spec.resourceClaims and the claims of containers.
void ValidatePodClaims(const api::JsonObject* pod_spec, const FieldPath& path, FieldErrors& errors);
void ValidatePlacement(const api::JsonObject* pod_spec, const FieldPath& path, FieldErrors& errors);
void ValidateNodeSelectorTerms(const api::JsonArray* terms, const FieldPath& path,
                               FieldErrors& errors);
void ValidateAffinity(const api::JsonObject* affinity, const FieldPath& path, FieldErrors& errors);
void ValidatePodUpdate(const api::JsonObject& before, const api::JsonObject& after,
                       FieldErrors& errors);

// The functions below return false if the kind does not belong to the area.
bool ValidateWorkload(const api::scheme::Kind& kind, const api::JsonObject& document,
                      FieldErrors& errors);
bool ValidateWorkloadUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                            const api::JsonObject& after, FieldErrors& errors);
bool ValidateStorage(const api::scheme::Kind& kind, const api::JsonObject& document,
                     FieldErrors& errors);
bool ValidateStorageUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                           const api::JsonObject& after, FieldErrors& errors);
bool ValidateCoordination(const api::scheme::Kind& kind, const api::JsonObject& document,
                          FieldErrors& errors);
bool ValidateCoordinationUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                                const api::JsonObject& after, FieldErrors& errors);
bool ValidateCluster(const api::scheme::Kind& kind, const api::JsonObject& document,
                     FieldErrors& errors);
bool ValidateClusterUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                           const api::JsonObject& after, FieldErrors& errors);

// Checks the required fields and the supported values that the schema of the kind declares, except
// in the metadata and the status, and except lists of objects, which may be empty.
void ValidateSchema(const api::scheme::Kind& kind, const api::JsonObject& document,
                    FieldErrors& errors);
// The kinds that belong to none of the areas above.
void ValidateGroups(const api::scheme::Kind& kind, const api::JsonObject& document,
                    FieldErrors& errors);
void ValidateGroupsUpdate(const api::scheme::Kind& kind, const api::JsonObject& before,
                          const api::JsonObject& after, FieldErrors& errors);

// Adds `Invalid value: ...: field is immutable` if the two differ at `key`.
void Immutable(const api::JsonObject* before, const api::JsonObject* after, std::string_view key,
               const FieldPath& path, FieldErrors& errors);

}  // namespace berth::apiserver::admission
