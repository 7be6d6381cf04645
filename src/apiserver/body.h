// Request bodies: bytes of one of several formats, turned into JSON documents, which live in
// `storage` (those made of protobuf do not).
#pragma once

#include <string_view>

#include "kinds/api_error.h"
#include "kinds/json.h"

namespace berth::apiserver {

// JSON text. Nesting deeper than api::kMaxNesting, invalid UTF-8, bytes after the end and bad
// syntax are BadRequest with line and column.
ApiResult<Json> ParseJson(std::string_view text, boost::json::storage_ptr storage);
// The first YAML document.
ApiResult<Json> ParseYaml(std::string_view text, boost::json::storage_ptr storage);

// By `content_type`: JSON (also if it is empty), YAML or protobuf; UnsupportedMediaType otherwise.
ApiResult<Json> ParseBody(std::string_view content_type, std::string_view body,
                          boost::json::storage_ptr storage);

// Whether ParseBody reads it as JSON.
bool IsJsonBody(std::string_view content_type);

// The body of a DELETE: null if it is empty.
ApiResult<Json> ParseOptionalBody(std::string_view content_type, std::string_view body,
                                  boost::json::storage_ptr storage);

// The body of a PATCH: JSON, or YAML for applies, which may be either.
ApiResult<Json> ParsePatchBody(bool yaml, std::string_view body, boost::json::storage_ptr storage);

}  // namespace berth::apiserver
