#include "apiserver/openapi/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "api/json/document.h"
#include "api/json/json.h"
#include "api/json/writer.h"
#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/openapi/custom_schemas.h"
#include "base/check.h"

namespace berth::apiserver::openapi {
namespace {

enum class OpenApiVersion : uint8_t { kV2, kV3 };

// The query parameters of PATCH. kubectl leaves validation and dry runs to the server if PATCH has
// them.
constexpr std::string_view kPatchParameters[] = {"dryRun", "fieldManager", "fieldValidation",
                                                 "force"};

constexpr std::string_view kQuantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
constexpr std::string_view kIntOrString = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

// Returns {"group":..., "version":..., "kind":...}.
api::JsonObject KindJson(const api::scheme::Kind& kind) {
  return {{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}};
}

// Returns "/api/v1/namespaces/{namespace}/pods", with "/{name}" appended if `named`.
std::string PathOf(const api::scheme::Kind& kind, bool named) {
  std::string path = kind.group.empty() ? "/api/" : "/apis/";
  path += kind.api_version();
  if (kind.namespaced) path += "/namespaces/{namespace}";
  path += "/";
  path += kind.resource;
  if (named) path += "/{name}";
  return path;
}

// SchemaWriter writes the schemas of kinds and of all types that they refer to.
class SchemaWriter {
 public:
  explicit SchemaWriter(OpenApiVersion version) : version_(version) {}

  void AddKind(const api::scheme::Kind& kind) {
    if (const crd::CustomVersion* version = crd::VersionOf(kind)) return AddCustom(kind, *version);
    const api::scheme::Schema* schema = api::scheme::SchemaOf(kind.api_version(), kind.kind);
    // Clients of version 2 would reject the fields that an incomplete schema lacks.
    if (schema == nullptr && version_ == OpenApiVersion::kV2) return;
    const std::string name = schema != nullptr ? schema->name : PlainName(kind);
    api::JsonObject& json = out_[name].emplace_object();
    json = schema != nullptr ? ObjectJson(*schema) : PlainJson();
    json["x-kubernetes-group-version-kind"] = api::JsonArray{KindJson(kind)};
  }

  // Adds the schemas that were referred to, recursively, and returns all.
  api::JsonObject Finish() {
    for (size_t next = 0; next < references_.size(); ++next) {
      const api::scheme::Schema& schema = *references_[next];
      // The schema of a kind is already present, with its group and version.
      if (!out_.contains(schema.name)) out_[schema.name] = ObjectJson(schema);
    }
    out_[kQuantity] = Quantity();
    out_[kIntOrString] = IntOrString();
    return std::move(out_);
  }

 private:
  void AddCustom(const api::scheme::Kind& kind, const crd::CustomVersion& version) {
    api::Json metadata = MetadataReference();
    if (version_ == OpenApiVersion::kV3) {
      metadata = api::JsonObject{{"allOf", api::JsonArray{std::move(metadata)}}};
    }
    api::JsonObject& json = out_[CustomSchemaName(kind)].emplace_object();
    json = version_ == OpenApiVersion::kV2 ? CustomSchemaV2(version, metadata)
                                           : CustomSchemaV3(version, metadata);
    json["x-kubernetes-group-version-kind"] = api::JsonArray{KindJson(kind)};
  }

  api::Json MetadataReference() {
    const auto found =
        std::ranges::find(api::scheme::Schemas(), kObjectMeta, &api::scheme::Schema::name);
    CHECK(found != api::scheme::Schemas().end());
    return Reference(*found);
  }

  api::Json Reference(std::string_view name) const {
    const std::string_view where =
        version_ == OpenApiVersion::kV2 ? "#/definitions/" : "#/components/schemas/";
    return api::JsonObject{{"$ref", std::string(where) + std::string(name)}};
  }

  api::Json Reference(const api::scheme::Schema& schema) {
    if (seen_.insert(&schema).second) references_.push_back(&schema);
    return Reference(schema.name);
  }

  api::Json TypeJson(const api::scheme::SchemaField& field) {
    using Type = api::scheme::SchemaField::Type;
    // OpenAPI 2 cannot express alternatives, so neither does 3.
    if (field.alternative != api::scheme::SchemaField::Alternative::kNone) {
      return api::JsonObject{{"x-kubernetes-preserve-unknown-fields", true}};
    }
    switch (field.type) {
      case Type::kString:
        return api::JsonObject{{"type", "string"}};
      case Type::kInt:
        return api::JsonObject{{"type", "integer"}, {"format", "int32"}};
      case Type::kLong:
        return api::JsonObject{{"type", "integer"}, {"format", "int64"}};
      case Type::kDouble:
        return api::JsonObject{{"type", "number"}, {"format", "double"}};
      case Type::kBool:
        return api::JsonObject{{"type", "boolean"}};
      case Type::kBytes:
        return api::JsonObject{{"type", "string"}, {"format", "byte"}};
      case Type::kTime:
      case Type::kMicroTime:
        return api::JsonObject{{"type", "string"}, {"format", "date-time"}};
      case Type::kQuantity:
        return Reference(kQuantity);
      case Type::kIntOrString:
        return Reference(kIntOrString);
      case Type::kStrings:
        return api::JsonObject{{"type", "array"}, {"items", api::JsonObject{{"type", "string"}}}};
      case Type::kObject:
        return api::JsonObject{{"type", "object"}};
      case Type::kAny:
        return api::JsonObject();
      case Type::kSchema:
        break;
    }
    return Reference(*field.schema);
  }

  api::JsonObject FieldJson(const api::scheme::SchemaField& field) {
    api::JsonObject json;
    api::Json type = TypeJson(field);
    if (field.shape == api::scheme::SchemaField::Shape::kList) {
      json = {{"type", "array"}, {"items", std::move(type)}};
    } else if (field.shape == api::scheme::SchemaField::Shape::kMap) {
      json = {{"type", "object"}, {"additionalProperties", std::move(type)}};
    } else if (version_ == OpenApiVersion::kV3 && type.get_object().contains("$ref")) {
      // In version 3 a reference must not have siblings.
      json = {{"allOf", api::JsonArray{std::move(type)}}};
    } else {
      json = std::move(type.get_object());
    }
    if (!field.description.empty()) json["description"] = field.description;
    if (!field.patch_strategy.empty()) json["x-kubernetes-patch-strategy"] = field.patch_strategy;
    if (!field.merge_key.empty()) json["x-kubernetes-patch-merge-key"] = field.merge_key;
    return json;
  }

  api::JsonObject ObjectJson(const api::scheme::Schema& schema) {
    api::JsonObject json;
    if (!schema.description.empty()) json["description"] = schema.description;
    api::JsonArray required;
    api::JsonObject properties;
    for (const api::scheme::SchemaField& field : schema.fields) {
      if (field.required) required.emplace_back(field.name);
      properties[field.name] = FieldJson(field);
    }
    json["type"] = "object";
    if (!required.empty()) json["required"] = std::move(required);
    json["properties"] = std::move(properties);
    return json;
  }

  static std::string PlainName(const api::scheme::Kind& kind) {
    return "berth." + std::string(kind.group.empty() ? "core" : kind.group) + "." +
           std::string(kind.version) + "." + std::string(kind.kind);
  }

  api::JsonObject PlainJson() {
    api::JsonObject json;
    json["description"] = "Stored without validation.";
    json["type"] = "object";
    api::JsonObject properties;
    properties["apiVersion"] = api::JsonObject{{"type", "string"}};
    properties["kind"] = api::JsonObject{{"type", "string"}};
    properties["metadata"] = MetadataReference();
    json["properties"] = std::move(properties);
    // Other fields are valid, too.
    json["x-kubernetes-preserve-unknown-fields"] = true;
    return json;
  }

  api::JsonObject Quantity() const {
    const std::string_view text = "A quantity such as 500m, 2 or 1.5Gi.";
    if (version_ == OpenApiVersion::kV2) return {{"description", text}, {"type", "string"}};
    return {{"description", text},
            {"oneOf", api::JsonArray{api::JsonObject{{"type", "string"}},
                                     api::JsonObject{{"type", "number"}}}}};
  }

  api::JsonObject IntOrString() const {
    const std::string_view text = "An integer or a string such as 25%.";
    api::JsonObject json = {{"description", text}, {"format", "int-or-string"}};
    if (version_ == OpenApiVersion::kV2) {
      json["type"] = "string";
    } else {
      json["oneOf"] =
          api::JsonArray{api::JsonObject{{"type", "integer"}}, api::JsonObject{{"type", "string"}}};
    }
    return json;
  }

  OpenApiVersion version_;
  api::JsonObject out_;
  std::vector<const api::scheme::Schema*> references_;
  std::set<const api::scheme::Schema*> seen_;
};

// Returns the schemas of `kinds` and of all types that they refer to, by name. Kinds without a
// schema get one with only metadata in version 3, and none in version 2.
api::JsonObject SchemasJson(const std::vector<const api::scheme::Kind*>& kinds,
                            OpenApiVersion version) {
  SchemaWriter writer(version);
  for (const api::scheme::Kind* kind : kinds) writer.AddKind(*kind);
  return writer.Finish();
}

// Returns "api/v1" or "apis/apps/v1".
std::string DocumentPath(const api::scheme::Kind& kind) {
  return (kind.group.empty() ? "api/" : "apis/") + std::string(kind.api_version());
}

api::JsonObject Parameter(std::string_view name, std::string_view in, std::string_view type) {
  return {{"name", name}, {"in", in}, {"schema", api::JsonObject{{"type", type}}}};
}

// Omits request bodies on purpose: if PATCH declared strategic merge patches, kubectl would compute
// them from these schemas instead of its compiled-in types.
api::JsonObject Operation(const api::scheme::Kind& kind, std::string_view action) {
  api::JsonObject operation;
  if (action == "patch") {
    api::JsonArray parameters;
    for (const std::string_view name : kPatchParameters) {
      parameters.push_back(Parameter(name, "query", name == "force" ? "boolean" : "string"));
    }
    operation["parameters"] = std::move(parameters);
  }
  operation["responses"] = api::JsonObject{{"200", api::JsonObject{{"description", "OK"}}}};
  operation["x-kubernetes-action"] = action;
  operation["x-kubernetes-group-version-kind"] = KindJson(kind);
  return operation;
}

bool HasVerb(const api::scheme::Kind& kind, std::string_view verb) {
  return std::ranges::find(kind.verbs, verb) != kind.verbs.end();
}

void AddPaths(api::JsonObject& paths, const api::scheme::Kind& kind) {
  api::JsonArray parameters;
  if (kind.namespaced) parameters.push_back(Parameter("namespace", "path", "string"));
  api::JsonObject collection;
  if (HasVerb(kind, "list")) collection["get"] = Operation(kind, "list");
  if (HasVerb(kind, "create")) collection["post"] = Operation(kind, "post");
  if (!parameters.empty()) collection["parameters"] = parameters;
  paths[PathOf(kind, false)] = std::move(collection);

  api::JsonObject object;
  if (HasVerb(kind, "get")) object["get"] = Operation(kind, "get");
  if (HasVerb(kind, "update")) object["put"] = Operation(kind, "put");
  if (HasVerb(kind, "patch")) object["patch"] = Operation(kind, "patch");
  if (HasVerb(kind, "delete")) object["delete"] = Operation(kind, "delete");
  if (object.empty()) return;
  parameters.push_back(Parameter("name", "path", "string"));
  object["parameters"] = std::move(parameters);
  paths[PathOf(kind, true)] = std::move(object);
}

std::string V3Document(const std::vector<const api::scheme::Kind*>& kinds) {
  api::JsonObject paths;
  for (const api::scheme::Kind* kind : kinds) AddPaths(paths, *kind);
  const api::JsonObject document = {
      {"openapi", "3.0.0"},
      {"info", api::JsonObject{{"title", "Kubernetes"}, {"version", "v1.36.0"}}},
      {"paths", std::move(paths)},
      {"components", api::JsonObject{{"schemas", SchemasJson(kinds, OpenApiVersion::kV3)}}}};
  return api::ToJsonText(document);
}

// Clients cache a document as long as its hash in the index stays the same.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Returns the hash of the built-in kinds' documents by path, computed once.
uint64_t BuiltInHash(const std::string& path) {
  static const std::map<std::string, uint64_t> hashes = [] {
    const api::scheme::KindSet kinds({}, 0, /*alpha_workloads=*/true);
    std::map<std::string, uint64_t> all;
    for (const api::scheme::Kind* kind : kinds.all()) {
      const auto [at, added] = all.emplace(DocumentPath(*kind), 0);
      if (added) at->second = HashOf(*OpenApiDocument(kinds, at->first));
    }
    return all;
  }();
  const auto found = hashes.find(path);
  return found == hashes.end() ? 0 : found->second;
}

}  // namespace

std::string OpenApiIndex(const api::scheme::KindSet& kinds) {
  std::map<std::string, uint64_t> hashes;
  for (const api::scheme::Kind* kind : kinds.all()) {
    const auto [at, added] = hashes.emplace(DocumentPath(*kind), 0);
    if (added) at->second = BuiltInHash(at->first);
    // A definition's generation changes with its schema.
    if (const crd::CustomVersion* version = crd::VersionOf(*kind)) {
      at->second ^=
          HashOf(fmt::format("{} {}", version->resource.uid(), version->resource.generation()));
    }
  }
  api::JsonObject paths;
  for (const auto& [path, hash] : hashes) {
    paths[path] = api::JsonObject{
        {"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={:016X}", path, hash)}};
  }
  return api::ToJsonText(api::JsonObject{{"paths", std::move(paths)}});
}

std::optional<std::string> OpenApiDocument(const api::scheme::KindSet& kinds,
                                           std::string_view path) {
  std::vector<const api::scheme::Kind*> found;
  for (const api::scheme::Kind* kind : kinds.all()) {
    if (DocumentPath(*kind) == path) found.push_back(kind);
  }
  if (found.empty()) return std::nullopt;
  return V3Document(found);
}

namespace {

api::JsonObject PatchOperation(const api::scheme::Kind& kind) {
  api::JsonArray parameters;
  for (const std::string_view name : kPatchParameters) {
    const std::string_view type = name == "force" ? "boolean" : "string";
    parameters.push_back(api::JsonObject{{"name", name}, {"in", "query"}, {"type", type}});
  }
  return {{"parameters", std::move(parameters)},
          {"responses", api::JsonObject{{"200", api::JsonObject{{"description", "OK"}}}}},
          {"x-kubernetes-action", "patch"},
          {"x-kubernetes-group-version-kind", KindJson(kind)}};
}

api::JsonObject V2Document(const api::scheme::KindSet& served) {
  const std::vector<const api::scheme::Kind*> kinds(served.all().begin(), served.all().end());
  api::JsonObject paths;
  for (const api::scheme::Kind* kind : kinds) {
    if (kind->stored) {
      paths[PathOf(*kind, true)] = api::JsonObject{{"patch", PatchOperation(*kind)}};
    }
  }
  return {{"swagger", "2.0"},
          {"info", api::JsonObject{{"title", "Kubernetes"}, {"version", "v1.36.0"}}},
          {"paths", std::move(paths)},
          {"definitions", SchemasJson(kinds, OpenApiVersion::kV2)}};
}

}  // namespace

std::string OpenApiV2(const api::scheme::KindSet& kinds, bool protobuf) {
  const api::JsonObject document = V2Document(kinds);
  return protobuf ? OpenApiV2Protobuf(document) : api::ToJsonText(document);
}

}  // namespace berth::apiserver::openapi
