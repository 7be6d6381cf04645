// The rules of CustomResourceDefinition objects: their defaults, validation, names and conditions.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "base/time.h"

namespace berth::apiserver::admission {
class FieldErrors;
}

namespace berth::apiserver::crd {

// A definition that is being deleted has it until its instances are gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

// Returns `text` with its ASCII letters in lower case.
std::string ToLower(std::string_view text);

// Fills in the defaults of the spec: names.singular, names.listKind and conversion.
void DefaultDefinition(api::JsonObject& definition);

// Adds the storage version to status.storedVersions.
void NoteStorageVersion(api::JsonObject& definition);

// Validates all but the metadata, after defaulting. `before` is null for a new definition.
void ValidateDefinition(const api::JsonObject& definition, const api::JsonObject* before,
                        admission::FieldErrors& errors);

// Returns what the client should know about a valid definition: formats that nobody validates, and
// what Berth stores but does not execute. At most kMaxReportedErrors (api/field_errors.h).
std::vector<std::string> WarningsOf(const api::JsonObject& definition);

// The names that the definitions of a group have taken.
struct TakenNames {
  std::set<std::string, std::less<>> resources;  // Plurals, singulars and short names.
  std::set<std::string, std::less<>> kinds;      // And list kinds.

  // Adds the names that `definition` has been given.
  void Add(const api::JsonObject& definition);
};

// Gives the definition those of its names that others have not taken, and sets the conditions
// NamesAccepted and Established accordingly.
void AcceptNames(api::JsonObject& definition, const TakenNames& others, Instant now);

// Reports whether the condition of that type is True.
bool HasCondition(const api::JsonObject& definition, std::string_view type);

}  // namespace berth::apiserver::crd
