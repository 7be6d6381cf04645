// OpenAPI version 3: a document per group and version.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "kinds/discovery.h"
#include "kinds/openapi_json.h"

namespace berth::apiserver {
namespace {

// "api/v1", "apis/apps/v1"
std::string DocumentPath(const Kind& kind) {
  return (kind.group.empty() ? "api/" : "apis/") + std::string(kind.api_version());
}

JsonObject Parameter(std::string_view name, std::string_view in, std::string_view type) {
  return {{"name", name}, {"in", in}, {"schema", JsonObject{{"type", type}}}};
}

// Request bodies are left out on purpose: told that PATCH takes strategic merge patches, kubectl
// would compute them from these schemas rather than from the types that it was compiled with.
JsonObject Operation(const Kind& kind, std::string_view action) {
  JsonObject operation;
  if (action == "patch") {
    JsonArray parameters;
    for (const std::string_view name : kPatchParameters) {
      parameters.push_back(Parameter(name, "query", name == "force" ? "boolean" : "string"));
    }
    operation["parameters"] = std::move(parameters);
  }
  operation["responses"] = JsonObject{{"200", JsonObject{{"description", "OK"}}}};
  operation["x-kubernetes-action"] = action;
  operation["x-kubernetes-group-version-kind"] = KindJson(kind);
  return operation;
}

bool Offers(const Kind& kind, std::string_view verb) {
  return std::ranges::find(kind.verbs, verb) != kind.verbs.end();
}

void AddPaths(JsonObject& paths, const Kind& kind) {
  JsonArray place;
  if (kind.namespaced) place.push_back(Parameter("namespace", "path", "string"));
  JsonObject collection;
  if (Offers(kind, "list")) collection["get"] = Operation(kind, "list");
  if (Offers(kind, "create")) collection["post"] = Operation(kind, "post");
  if (!place.empty()) collection["parameters"] = place;
  paths[PathOf(kind, false)] = std::move(collection);

  JsonObject object;
  if (Offers(kind, "get")) object["get"] = Operation(kind, "get");
  if (Offers(kind, "update")) object["put"] = Operation(kind, "put");
  if (Offers(kind, "patch")) object["patch"] = Operation(kind, "patch");
  if (Offers(kind, "delete")) object["delete"] = Operation(kind, "delete");
  if (object.empty()) return;
  place.push_back(Parameter("name", "path", "string"));
  object["parameters"] = std::move(place);
  paths[PathOf(kind, true)] = std::move(object);
}

std::string Document(const std::vector<const Kind*>& kinds) {
  JsonObject paths;
  for (const Kind* kind : kinds) AddPaths(paths, *kind);
  const JsonObject document = {
      {"openapi", "3.0.0"},
      {"info", JsonObject{{"title", "Kubernetes"}, {"version", "v1.36.0"}}},
      {"paths", std::move(paths)},
      {"components", JsonObject{{"schemas", SchemasJson(kinds, OpenApiVersion::kV3)}}}};
  return boost::json::serialize(document);
}

// Clients keep a document for as long as the index gives it the same hash.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string MakeIndex() {
  JsonObject paths;
  for (const Kind& kind : Kinds()) {
    const std::string path = DocumentPath(kind);
    if (paths.contains(path)) continue;
    const uint64_t hash = HashOf(*OpenApiDocument(path));
    paths[path] =
        JsonObject{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={:016X}", path, hash)}};
  }
  return boost::json::serialize(JsonObject{{"paths", std::move(paths)}});
}

}  // namespace

std::string OpenApiIndex() {
  // Hashing takes making every document.
  static const std::string index = MakeIndex();
  return index;
}

std::optional<std::string> OpenApiDocument(std::string_view path) {
  std::vector<const Kind*> kinds;
  for (const Kind& kind : Kinds()) {
    if (DocumentPath(kind) == path) kinds.push_back(&kind);
  }
  if (kinds.empty()) return std::nullopt;
  return Document(kinds);
}

}  // namespace berth::apiserver
