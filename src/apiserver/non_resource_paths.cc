#include "apiserver/non_resource_paths.h"

#include <fmt/format.h>

#include "apiserver/negotiation.h"
#include "apiserver/openapi/discovery.h"
#include "apiserver/openapi/openapi.h"
#include "apiserver/responses.h"

namespace berth::apiserver {
namespace {

// The type that clients request; the type of the response is kOpenApiV2ProtobufType.
constexpr std::string_view kOpenApiV2RequestedType =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

std::string RootPaths(const api::scheme::KindSet& kinds) {
  std::vector<std::string> paths = {"/api", "/api/v1", "/apis"};
  std::string_view last_group;
  for (const api::scheme::Kind* kind : kinds.all()) {
    if (kind->group.empty()) continue;
    if (kind->group != last_group) paths.push_back(fmt::format("/apis/{}", kind->group));
    last_group = kind->group;
    std::string path = fmt::format("/apis/{}", kind->api_version());
    if (paths.back() != path) paths.push_back(std::move(path));
  }
  for (const char* path :
       {"/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}) {
    paths.emplace_back(path);
  }
  return fmt::format("{{\"paths\":[\"{}\"]}}", fmt::join(paths, "\",\""));
}

bool WantsProtobuf(std::string_view accept) {
  for (const MediaType& type : ParseAccept(accept)) {
    if (type.type == kOpenApiV2RequestedType || type.type == openapi::kOpenApiV2ProtobufType)
      return true;
    if (type.type == "application/json" || type.type == "*/*") return false;
  }
  return false;
}

}  // namespace

bool NonResourcePaths::IsHealth(std::string_view path) {
  return path == "/healthz" || path == "/livez" || path == "/readyz";
}

api::scheme::ApiResult<net::ServerResponse> NonResourcePaths::Serve(
    const RequestInfo& info, const net::ServerRequest& request, const api::scheme::KindSet& kinds) {
  const std::string& path = info.path;
  const std::string_view accept = request.header("Accept");
  if (request.method != "GET" && request.method != "HEAD") {
    return std::unexpected(api::scheme::MethodNotAllowed(request.method));
  }
  if (IsHealth(path)) return Health();
  if (path == "/metrics") {
    return net::ServerResponse::Text(200, "text/plain; version=0.0.4; charset=utf-8",
                                     metrics_.Text(store_, kinds));
  }
  if (path == "/") return ServeJson(kinds, path, [&] { return RootPaths(kinds); });
  if (path == "/version") return ServeJson(kinds, path, [] { return openapi::VersionInfo(); });
  if (path == "/api") return Discovery(kinds, true, accept);
  if (path == "/apis") return Discovery(kinds, false, accept);
  if (path.starts_with("/openapi/")) return OpenApi(kinds, path, accept);
  if (path.starts_with("/api/")) {
    const std::string_view version = std::string_view(path).substr(5);
    return ServeJson(kinds, path, [&] { return openapi::ApiResourceList(kinds, "", version); });
  }
  if (!path.starts_with("/apis/")) return std::unexpected(api::scheme::UnknownResource());
  const std::string_view group_version = std::string_view(path).substr(6);
  const size_t slash = group_version.find('/');
  if (slash == group_version.npos)
    return ServeJson(kinds, path, [&] { return openapi::ApiGroup(kinds, group_version); });
  return ServeJson(kinds, path, [&] {
    return openapi::ApiResourceList(kinds, group_version.substr(0, slash),
                                    group_version.substr(slash + 1));
  });
}

NonResourcePaths::Document NonResourcePaths::Cached(
    const api::scheme::KindSet& kinds, const std::string& key,
    const std::function<std::optional<std::string>()>& make) {
  const std::lock_guard lock(mutex_);
  if (revision_ != kinds.revision()) {
    documents_.clear();
    revision_ = kinds.revision();
  }
  if (const auto at = documents_.find(key); at != documents_.end()) return at->second;
  auto text = make();
  // Missing documents are not cached: clients may request any number of such paths.
  if (!text) return nullptr;
  return documents_[key] = std::make_shared<const std::string>(*std::move(text));
}

api::scheme::ApiResult<net::ServerResponse> NonResourcePaths::ServeJson(
    const api::scheme::KindSet& kinds, const std::string& key,
    const std::function<std::optional<std::string>()>& make) {
  const Document document = Cached(kinds, key, make);
  if (document == nullptr) return std::unexpected(api::scheme::UnknownResource());
  net::ServerResponse response = JsonResponseHead(200);
  response.body.push_back({document, *document});
  return response;
}

api::scheme::ApiResult<net::ServerResponse> NonResourcePaths::Discovery(
    const api::scheme::KindSet& kinds, bool core, std::string_view accept) {
  const auto wanted = WantedDiscoveryForm(accept);
  if (!wanted) return std::unexpected(wanted.error());
  const std::string key = core ? "/api" : "/apis";
  if (wanted->form != Form::kDiscovery) {
    return ServeJson(kinds, key,
                     [&] { return core ? openapi::ApiVersions() : openapi::ApiGroupList(kinds); });
  }
  auto response = ServeJson(kinds, key + " " + wanted->version, [&] {
    return openapi::AggregatedDiscovery(kinds, core, wanted->version);
  });
  // Clients recognize the aggregated form by this type, not by the document.
  response->headers[0].value = fmt::format(
      "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", wanted->version);
  response->headers.push_back({"Vary", "Accept"});
  return response;
}

api::scheme::ApiResult<net::ServerResponse> NonResourcePaths::OpenApi(
    const api::scheme::KindSet& kinds, const std::string& path, std::string_view accept) {
  if (path == "/openapi/v2") {
    const bool protobuf = WantsProtobuf(accept);
    auto response = ServeJson(kinds, protobuf ? path + " protobuf" : path,
                              [&] { return openapi::OpenApiV2(kinds, protobuf); });
    if (protobuf) response->headers[0].value = openapi::kOpenApiV2ProtobufType;
    return response;
  }
  if (path == "/openapi/v3") {
    return ServeJson(kinds, path, [&] { return openapi::OpenApiIndex(kinds); });
  }
  constexpr std::string_view kDocuments = "/openapi/v3/";
  if (!path.starts_with(kDocuments)) return std::unexpected(api::scheme::UnknownResource());
  return ServeJson(kinds, path, [&] {
    return openapi::OpenApiDocument(kinds, std::string_view(path).substr(kDocuments.size()));
  });
}

net::ServerResponse NonResourcePaths::Health() const {
  const Status health = store_.health();
  return health
             ? net::ServerResponse::Text(200, "text/plain; charset=utf-8", "ok")
             : net::ServerResponse::Text(500, "text/plain; charset=utf-8",
                                         "the store has failed: " + health.error().message + "\n");
}

}  // namespace berth::apiserver
