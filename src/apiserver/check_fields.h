// The fields of a request's object, compared with the schema of its kind.
#pragma once

#include <string_view>

#include "kinds/api_error.h"
#include "kinds/json.h"

namespace berth::apiserver {

struct Kind;
struct WriteOptions;

// BadRequest at the first value that is not of its field's type. With `only`, the rest of the
// object is not looked at. Fields that the schema does not know, and kinds without one, pass.
ApiResult<void> CheckFieldTypes(const Kind& kind, const JsonObject& document,
                                std::string_view only = {});

// Unknown fields are refused, warned of or ignored, as the options say.
ApiResult<void> CheckUnknownFields(const Kind& kind, const Json& document,
                                   const WriteOptions& options);

}  // namespace berth::apiserver
