// The objects of custom kinds: their form in each version, and what a write to one must observe.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

// Returns the kind in whose form objects of `kind` are written to the store: that of the storage
// version for custom kinds.
const api::scheme::Kind& StorageKind(const api::scheme::Kind& kind);

// Returns the object as `kind` represents it, which is the object itself for built-in kinds and
// nearly always for custom ones. One that is stored in the form of another version, or was written
// by an earlier schema, is converted: defaulted, and pruned.
store::ObjectPtr InForm(const api::scheme::Kind& kind, const store::ObjectPtr& object);
// Converts the parsed document of a stored object likewise.
void ToForm(const api::scheme::Kind& kind, const store::Object& object, api::JsonObject& document);

// The functions below are for custom kinds only.

// Defaults and prunes a document from a client. Returns an error if the defaults are too large.
api::scheme::ApiResult<void> Coerce(const api::scheme::Kind& kind, api::JsonObject& document);

// Copies what a write to `subresource` cannot change from `before`, and sets the generation.
// `before` is null for a new object.
void PrepareCustom(const api::scheme::Kind& kind, std::string_view subresource,
                   const api::JsonObject* before, api::JsonObject& document);
// Validates all but the metadata. `before` is null for a new object.
void ValidateCustom(const api::scheme::Kind& kind, std::string_view subresource,
                    const api::Json* before, const api::Json& document,
                    admission::FieldErrors& errors);

// Returns the value at a path of names, or null.
const api::Json* ValueAt(const api::JsonObject& document, std::span<const std::string> path);

// Drops what the storage version does not have.
void PruneForStorage(const api::scheme::Kind& kind, api::JsonObject& document);

}  // namespace berth::apiserver::registry
