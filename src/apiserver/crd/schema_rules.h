// The rules for schemas of definitions: what of OpenAPI v3 they may use, and that they are
// structural.
#pragma once

#include "api/json/json.h"

namespace berth::apiserver::admission {
class FieldErrors;
class FieldPath;
}  // namespace berth::apiserver::admission

namespace berth::apiserver::crd {

struct Schema;

// Adds the errors of the schema at `path` (openAPIV3Schema), which must not be nested deeper than
// CompileSchema allows. `has_status`: the version has a status subresource.
void CheckSchemaRules(const api::JsonObject& schema, const admission::FieldPath& path,
                      bool has_status, admission::FieldErrors& errors);

// Adds the errors of defaults that are not valid by their own schema and its rules, which must be
// compiled (rule_compiler.h), or have unknown fields.
void CheckDefaults(const Schema& schema, const admission::FieldPath& path,
                   admission::FieldErrors& errors);

}  // namespace berth::apiserver::crd
