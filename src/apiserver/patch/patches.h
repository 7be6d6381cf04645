// The patch formats of the API: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and strategic
// merge patch. server_side_apply.h has the fourth, apply.
//
// Pure functions that return the patched document. Errors are for the client (400 or 422).
#pragma once

#include <cstdint>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::apiserver::patch {

enum class PatchType : uint8_t { kJson, kMerge, kStrategic, kApply };

// Returns the type for a Content-Type, or UnsupportedMediaType.
api::scheme::ApiResult<PatchType> PatchTypeOf(std::string_view content_type);

api::scheme::ApiResult<api::Json> ApplyJsonPatch(api::Json document, const api::Json& patch);
// Nulls remove members. Never fails.
api::Json ApplyMergePatch(api::Json document, const api::Json& patch);
// Merges lists with a merge key (merge_keys.h) by it, and executes the directives $patch,
// $retainKeys, $setElementOrder/… and $deleteFromPrimitiveList/….
api::scheme::ApiResult<api::Json> ApplyStrategicPatch(api::Json document, const api::Json& patch);

// Removes the members of `object` that `patch` sets to null.
void EraseNulled(api::JsonObject& object, const api::JsonObject& patch);

}  // namespace berth::apiserver::patch
