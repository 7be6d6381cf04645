// What the server does to an object's metadata: identity, times, generation.
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
// `prefix`, cut if too long, and five characters.
std::string GenerateName(std::string_view prefix, Random& random);

// The metadata of `document`, which is made if absent.
api::JsonObject& MetadataOf(api::JsonObject& document);
const api::JsonObject* MetadataOf(const api::JsonObject& document);

// BadRequest unless `document` is an object of `kind`, with metadata of the right types.
api::scheme::ApiResult<void> CheckType(const api::scheme::Kind& kind, const api::Json& document);

// What clients may not set of a new object goes, what only the server sets comes. The name must be
// there; the namespace too, if the kind has one.
void FillSystemMetadata(const api::scheme::Kind& kind, api::JsonObject& document, std::string uid,
                        Instant now);

// BadRequest if the body of a request for an object of `name` in `namespace_` names another. A
// namespace where the kind has none does not matter.
api::scheme::ApiResult<void> CheckNameAndNamespace(const api::scheme::Kind& kind,
                                                   const api::JsonObject& document,
                                                   std::string_view name,
                                                   std::string_view namespace_);

// Conflict if `after` names another uid or resourceVersion than the stored object's.
api::scheme::ApiResult<void> CheckIdentity(const api::scheme::Kind& kind, std::string_view name,
                                           const api::JsonObject& after, std::string_view uid,
                                           std::string_view version);

// What no update changes is taken from `before`.
void PreserveIdentity(const api::JsonObject& before, api::JsonObject& after);
// One more than `before`'s if what the kind counts by has changed.
void BumpGeneration(const api::scheme::Kind& kind, const api::JsonObject& before,
                    api::JsonObject& after);

// Deletion marks.
bool IsDeleting(const api::JsonObject& document);
// The object was deleted, its time is up and nobody holds it: the next write removes it.
bool IsReleased(const api::scheme::Kind& kind, const api::JsonObject& document);
// Sets deletionTimestamp to `at` and the grace period; the first time counts as a generation.
void MarkDeleted(api::JsonObject& document, Instant at, int64_t grace_seconds);

// Drops members that are null, at any depth: absent and null are the same.
void DropNulls(api::JsonObject& document);

}  // namespace berth::apiserver::admission
