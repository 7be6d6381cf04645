// The fields of a request's object, compared with the schema of its kind.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

struct WriteOptions;

// BadRequest at the first value that is not of its field's type. With `only`, the rest of the
// object is not looked at. Fields that the schema does not know, and kinds without one, pass.
api::scheme::ApiResult<void> CheckFieldTypes(const api::scheme::Kind& kind,
                                             const api::JsonObject& document,
                                             std::string_view only = {});

// Unknown fields are refused, warned of or ignored, as the options say.
api::scheme::ApiResult<void> CheckUnknownFields(const api::scheme::Kind& kind,
                                                const api::Json& document,
                                                const WriteOptions& options);

}  // namespace berth::apiserver::registry
