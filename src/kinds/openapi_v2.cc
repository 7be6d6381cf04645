// OpenAPI version 2 (swagger): one document for all kinds, for clients that know no other.
#include <boost/json.hpp>

#include "kinds/discovery.h"
#include "kinds/openapi_json.h"
#include "kinds/openapi_protobuf.h"

namespace berth::apiserver {
namespace {

JsonObject PatchOperation(const Kind& kind) {
  JsonArray parameters;
  for (const std::string_view name : kPatchParameters) {
    const std::string_view type = name == "force" ? "boolean" : "string";
    parameters.push_back(JsonObject{{"name", name}, {"in", "query"}, {"type", type}});
  }
  return {{"parameters", std::move(parameters)},
          {"responses", JsonObject{{"200", JsonObject{{"description", "OK"}}}}},
          {"x-kubernetes-action", "patch"},
          {"x-kubernetes-group-version-kind", KindJson(kind)}};
}

JsonObject Document() {
  std::vector<const Kind*> kinds;
  JsonObject paths;
  for (const Kind& kind : Kinds()) {
    kinds.push_back(&kind);
    if (kind.stored) paths[PathOf(kind, true)] = JsonObject{{"patch", PatchOperation(kind)}};
  }
  return {{"swagger", "2.0"},
          {"info", JsonObject{{"title", "Kubernetes"}, {"version", "v1.36.0"}}},
          {"paths", std::move(paths)},
          {"definitions", SchemasJson(kinds, OpenApiVersion::kV2)}};
}

}  // namespace

std::string OpenApiV2(bool protobuf) {
  // Old clients ask for it with every apply, and making it takes longer than the rest of that.
  static const std::string kProtobuf = OpenApiV2Protobuf(Document());
  return protobuf ? kProtobuf : boost::json::serialize(Document());
}

}  // namespace berth::apiserver
