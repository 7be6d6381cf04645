// The validation of an object's fields against the schema of its kind.
#pragma once

#include <string_view>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/store/stored_object.h"

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver::registry {

struct WriteOptions;

// Returns BadRequest for the first value that does not have its field's type. With `only`, checks
// only that top-level field. Ignores unknown fields and kinds without a schema.
api::scheme::ApiResult<void> CheckFieldTypes(const api::scheme::Kind& kind,
                                             const api::JsonObject& document,
                                             std::string_view only = {});

// Rejects, warns about or ignores unknown fields, depending on options.field_validation.
api::scheme::ApiResult<void> CheckUnknownFields(const api::scheme::Kind& kind,
                                                const api::Json& document,
                                                const WriteOptions& options);

// Rejects unknown fields of an object to apply, if they are to be rejected, in the words of
// kube-apiserver, which reads such an object by its schema.
api::scheme::ApiResult<void> CheckAppliedFields(const api::scheme::Kind& kind,
                                                const store::ObjectName& name,
                                                const api::Json& patch,
                                                const WriteOptions& options);

}  // namespace berth::apiserver::registry
