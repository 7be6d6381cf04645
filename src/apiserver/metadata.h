// What the server does to an object's metadata: identity, times, generation.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/api_error.h"
#include "apiserver/json.h"
#include "base/random.h"
#include "base/time.h"

namespace berth::apiserver {

struct Kind;

std::string NewUid(Random& random);  // A version 4 UUID.
// `prefix`, cut if too long, and five characters.
std::string GenerateName(std::string_view prefix, Random& random);

std::string TimeText(Instant instant);       // Whole seconds: "2026-01-01T00:00:00Z".
std::string MicroTimeText(Instant instant);  // Exactly six decimals.

// The metadata of `document`, which is made if absent.
JsonObject& MetadataOf(JsonObject& document);
const JsonObject* MetadataOf(const JsonObject& document);

// BadRequest unless `document` is an object of `kind`, with metadata of the right types.
ApiResult<void> CheckType(const Kind& kind, const Json& document);

// What clients may not set of a new object goes, what only the server sets comes. The name must be
// there; the namespace too, if the kind has one.
void StampNew(const Kind& kind, JsonObject& document, std::string uid, Instant now);

// BadRequest if the body of a request for an object of `name` in `namespace_` names another. A
// namespace where the kind has none does not matter.
ApiResult<void> CheckAddress(const Kind& kind, const JsonObject& document, std::string_view name,
                             std::string_view namespace_);

// Conflict if `after` names another uid or resourceVersion than the stored object's.
ApiResult<void> CheckIdentity(const Kind& kind, std::string_view name, const JsonObject& after,
                              std::string_view uid, std::string_view version);

// What no update changes is taken from `before`.
void KeepIdentity(const JsonObject& before, JsonObject& after);
// One more than `before`'s if what the kind counts by has changed.
void CountGeneration(const Kind& kind, const JsonObject& before, JsonObject& after);

// Deletion marks.
bool IsDeleting(const JsonObject& document);
// The object was deleted, its time is up and nobody holds it: the next write removes it.
bool IsReleased(const Kind& kind, const JsonObject& document);
// Sets deletionTimestamp to `at` and the grace period; the first time counts as a generation.
void MarkDeleted(JsonObject& document, Instant at, int64_t grace_seconds);

// Drops members that are null, at any depth: absent and null are the same.
void DropNulls(JsonObject& document);

}  // namespace berth::apiserver
