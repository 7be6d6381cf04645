// The metadata that the server manages: identity, times, generation, deletion.
#pragma once

#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "base/random.h"
#include "base/time.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {

std::string NewUid(Random& random);  // A version 4 UUID.
// Returns `prefix`, truncated if necessary, with five random characters appended.
std::string GenerateName(std::string_view prefix, Random& random);

// Returns the metadata of `document`; the mutable form adds it if absent.
api::JsonObject& MetadataOf(api::JsonObject& document);
const api::JsonObject* MetadataOf(const api::JsonObject& document);

// Returns BadRequest unless `document` is an object of `kind` with metadata of the right types.
api::scheme::ApiResult<void> CheckType(const api::scheme::Kind& kind, const api::Json& document);

// Sets uid, creationTimestamp and generation of a new object, and removes metadata that clients may
// not set. Name and namespace must be set.
void FillSystemMetadata(const api::scheme::Kind& kind, api::JsonObject& document,
                        std::string_view uid, Instant now);

// Returns BadRequest if the object in the body has another name or namespace than the URL. Ignores
// the namespace of cluster-scoped kinds.
api::scheme::ApiResult<void> CheckNameAndNamespace(const api::scheme::Kind& kind,
                                                   const api::JsonObject& document,
                                                   std::string_view name,
                                                   std::string_view namespace_);

// Returns Conflict if `after` has another uid or resourceVersion than the stored object.
api::scheme::ApiResult<void> CheckIdentity(const api::scheme::Kind& kind, std::string_view name,
                                           const api::JsonObject& after, std::string_view uid,
                                           std::string_view version);

// Copies the metadata that updates cannot change from `before`.
void PreserveIdentity(const api::JsonObject& before, api::JsonObject& after);
// Sets the generation: that of `before`, plus one if the desired state has changed.
void BumpGeneration(const api::scheme::Kind& kind, const api::JsonObject& before,
                    api::JsonObject& after);

// Reports whether the object has a deletionTimestamp.
bool IsDeleting(const api::JsonObject& document);
// Reports whether the object is being deleted without grace period and finalizers: the next write
// removes it.
bool IsReleased(const api::scheme::Kind& kind, const api::JsonObject& document);
// Sets deletionTimestamp to `at` and the grace period; the first call increments the generation.
void MarkDeleted(api::JsonObject& document, Instant at, int64_t grace_seconds);

// Removes members that are null, at any depth.
void DropNulls(api::JsonObject& document);

}  // namespace berth::apiserver::admission
