// The OpenAPI documents, versions 2 and 3, derived from the kinds that are served. They are
// complete enough for kubectl's apply, explain and validation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json/json.h"
#include "api/scheme/kind_set.h"

namespace berth::apiserver::openapi {

// GET /openapi/v3: the paths of the documents, one per group and version.
std::string OpenApiIndex(const api::scheme::KindSet& kinds);
// GET /openapi/v3/<path>: "api/v1" or "apis/apps/v1"; nullopt if there is no such document.
std::optional<std::string> OpenApiDocument(const api::scheme::KindSet& kinds,
                                           std::string_view path);

// The Content-Type of OpenAPI v2 in protobuf. Clients request it with "v2@v1.0" in place of
// "v2.v1.0", but reject a response with the `@`.
inline constexpr std::string_view kOpenApiV2ProtobufType =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
// GET /openapi/v2: all kinds in one document, as JSON or protobuf.
std::string OpenApiV2(const api::scheme::KindSet& kinds, bool protobuf);

// Encodes an OpenAPI v2 document as protobuf (gnostic's openapi.v2 messages), the only form that
// kubectl reads. Writes the parts that OpenApiV2 has: info, paths with PATCH operations and their
// query parameters, definitions with extensions.
std::string OpenApiV2Protobuf(const api::JsonObject& document);

}  // namespace berth::apiserver::openapi
