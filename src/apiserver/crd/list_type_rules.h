// The rules of x-kubernetes-list-type and x-kubernetes-list-map-keys, for schema_rules.cc.
#pragma once

#include <string_view>

#include "api/json/json.h"

namespace berth::apiserver::admission {
class FieldErrors;
class FieldPath;
}  // namespace berth::apiserver::admission

namespace berth::apiserver::crd {

void CheckListType(const api::JsonObject& schema, const admission::FieldPath& path,
                   admission::FieldErrors& errors);

// Adds an error unless the schema has the type `wanted`: "must be array if <why>".
void RequireType(const api::JsonObject& schema, const admission::FieldPath& path,
                 std::string_view wanted, std::string_view why, admission::FieldErrors& errors);

}  // namespace berth::apiserver::crd
