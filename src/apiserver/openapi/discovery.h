// Discovery and OpenAPI documents, made from the table of kinds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth::apiserver::openapi {

// The kinds of /api or /apis in one document (apidiscovery.k8s.io `version`, "v2" or "v2beta1").
std::string AggregatedDiscovery(bool core, std::string_view version);
std::string ApiVersions();   // GET /api
std::string ApiGroupList();  // GET /apis
// GET /apis/<group>; nothing if there is none.
std::optional<std::string> ApiGroup(std::string_view group);
// GET /api/v1 (empty group) or /apis/<group>/<version>.
std::optional<std::string> ApiResourceList(std::string_view group, std::string_view version);
std::string VersionInfo();  // GET /version

// GET /openapi/v3: the paths of the documents.
std::string OpenApiIndex();
// GET /openapi/v3/<path>, "api/v1" or "apis/apps/v1": operations and schemas, enough for kubectl's
// apply, explain and validation.
std::optional<std::string> OpenApiDocument(std::string_view path);
// The Content-Type of OpenAPI v2 in protobuf. Clients ask for it with "v2@v1.0" in place of
// "v2.v1.0", but refuse an answer that has the `@`.
inline constexpr std::string_view kOpenApiV2ProtobufType =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
// GET /openapi/v2: JSON, or protobuf's form if `protobuf`.
std::string OpenApiV2(bool protobuf);

}  // namespace berth::apiserver::openapi
