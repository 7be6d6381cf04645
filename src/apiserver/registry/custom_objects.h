// The objects of custom kinds: their form in each version, and what a write to one must observe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::admission {
class FieldErrors;
}

namespace berth::apiserver::registry {

// All functions are for custom kinds only, except ToStorageVersion.

// Reports whether a stored object has the form of `kind`: it is stored in that version, and the
// present schema has admitted it.
bool IsCurrent(const api::scheme::Kind& kind, const store::Object& object);
// Converts the document of a stored object to the form of `kind`: defaulted, and pruned.
void ConvertCustom(const api::scheme::Kind& kind, api::JsonObject& document);

// Defaults and prunes a document from a client. Returns an error if the defaults are too large.
api::scheme::ApiResult<void> Coerce(const api::scheme::Kind& kind, api::JsonObject& document);

// Copies what a write to `subresource` cannot change from `before`, and sets the generation.
// `before` is null for a new object.
void PrepareCustom(const api::scheme::Kind& kind, std::string_view subresource,
                   const api::JsonObject* before, api::JsonObject& document);
// Validates all but the metadata. `before` is null for a new object. Rules that are violated by
// what an update does not change are added to `warnings`, unless that is null.
void ValidateCustom(const api::scheme::Kind& kind, std::string_view subresource,
                    const api::Json* before, const api::Json& document,
                    admission::FieldErrors& errors, std::vector<std::string>* warnings);

// Returns the value at a path of names, or null.
const api::Json* ValueAt(const api::JsonObject& document, std::span<const std::string> path);

// Converts a document to the form of the storage version: defaulted, and pruned. Does nothing for
// built-in kinds.
void ToStorageVersion(const api::scheme::Kind& kind, api::JsonObject& document);

}  // namespace berth::apiserver::registry
