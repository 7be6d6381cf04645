// Parts of OpenAPI documents that versions 2 and 3 share.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"

namespace berth::apiserver::openapi {

enum class OpenApiVersion : uint8_t { kV2, kV3 };

// The schemas of `kinds` and all that they refer to, by name. Kinds without a table get a schema
// with metadata alone in version 3, and none in version 2.
api::JsonObject SchemasJson(const std::vector<const api::scheme::Kind*>& kinds,
                            OpenApiVersion version);

// {"group":..., "version":..., "kind":...}
api::JsonObject KindJson(const api::scheme::Kind& kind);

// "/api/v1/namespaces/{namespace}/pods" and, with `named`, "/{name}" behind.
std::string PathOf(const api::scheme::Kind& kind, bool named);

// Query parameters that the operations of a kind offer. kubectl leaves validation and dry runs to
// the server if PATCH has them.
inline constexpr std::string_view kPatchParameters[] = {"dryRun", "fieldManager", "fieldValidation",
                                                        "force"};

}  // namespace berth::apiserver::openapi
