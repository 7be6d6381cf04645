// Patches of JSON documents: RFC 6902, RFC 7386 and Kubernetes' strategic merge.
//
// Pure functions: the document comes in, the patched one goes out. Errors are for the client (400
// or 422).
#pragma once

#include <cstdint>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::apiserver::patch {

enum class PatchType : uint8_t { kJson, kMerge, kStrategic, kApply };

// By Content-Type; UnsupportedMediaType otherwise.
api::scheme::ApiResult<PatchType> PatchTypeOf(std::string_view content_type);

api::scheme::ApiResult<api::Json> ApplyJsonPatch(api::Json document, const api::Json& patch);
// Null removes. Any patch fits any document.
api::Json ApplyMergePatch(api::Json document, const api::Json& patch);
// Lists with a merge key (merge_keys.h) are merged by it; the directives $patch, $retainKeys,
// $setElementOrder/… and $deleteFromPrimitiveList/… are obeyed.
api::scheme::ApiResult<api::Json> ApplyStrategicPatch(api::Json document, const api::Json& patch);

}  // namespace berth::apiserver::patch
