// Patches of JSON documents: RFC 6902, RFC 7386 and Kubernetes' strategic merge.
//
// Pure functions: the document comes in, the patched one goes out. Errors are for the client (400
// or 422).
#pragma once

#include <cstdint>
#include <string_view>

#include "kinds/api_error.h"
#include "kinds/json.h"

namespace berth::apiserver {

enum class PatchType : uint8_t { kJson, kMerge, kStrategic, kApply };

// By Content-Type; UnsupportedMediaType otherwise.
ApiResult<PatchType> PatchTypeOf(std::string_view content_type);

ApiResult<Json> ApplyJsonPatch(Json document, const Json& patch);
// Null removes. Any patch fits any document.
Json ApplyMergePatch(Json document, const Json& patch);
// Lists with a merge key (merge_keys.h) are merged by it; the directives $patch, $retainKeys,
// $setElementOrder/… and $deleteFromPrimitiveList/… are obeyed.
ApiResult<Json> ApplyStrategicPatch(Json document, const Json& patch);

}  // namespace berth::apiserver
