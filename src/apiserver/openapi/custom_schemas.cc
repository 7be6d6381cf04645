#include "apiserver/openapi/custom_schemas.h"

#include <algorithm>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/crd/custom_resource.h"

namespace berth::apiserver::openapi {
namespace {

// Calls `visit` with each schema directly below: properties, items and additionalProperties.
template <typename Visit>
void ForEachPart(api::JsonObject& schema, Visit visit) {
  if (api::JsonObject* properties = api::ObjectAt(&schema, "properties")) {
    for (auto& property : *properties) {
      if (api::JsonObject* part = property.value().if_object()) visit(*part);
    }
  }
  for (const std::string_view keyword : {"items", "additionalProperties"}) {
    if (api::JsonObject* part = api::ObjectAt(&schema, keyword)) visit(*part);
  }
}

// Conformance tests of `kubectl explain` look for the first words of these descriptions, and of
// some in ObjectMeta.
void AddTypeMeta(api::JsonObject& schema, const api::Json& metadata) {
  api::JsonObject& properties = api::EnsureObject(schema, "properties");
  properties["apiVersion"] = api::JsonObject{
      {"description", "APIVersion defines the version of the schema of this object."},
      {"type", "string"}};
  properties["kind"] =
      api::JsonObject{{"description", "Kind is the type of this object."}, {"type", "string"}};
  properties["metadata"] = metadata;
}

// Completes the schemas of embedded resources. In version 2 those that preserve unknown fields have
// no properties, lest clients reject other fields.
void AddEmbedded(api::JsonObject& schema, const api::Json& metadata, bool v2) {
  ForEachPart(schema, [&](api::JsonObject& part) { AddEmbedded(part, metadata, v2); });
  if (!api::BoolAt(&schema, "x-kubernetes-embedded-resource")) return;
  if (v2 && api::BoolAt(&schema, "x-kubernetes-preserve-unknown-fields")) return;
  AddTypeMeta(schema, metadata);
  api::JsonArray& required = api::EnsureArray(schema, "required");
  for (const std::string_view name : {"kind", "apiVersion"}) {
    if (std::ranges::find(required, api::Json(name)) == required.end()) required.emplace_back(name);
  }
}

void Erase(api::JsonObject& schema, std::initializer_list<std::string_view> keywords) {
  for (const std::string_view keyword : keywords) schema.erase(keyword);
}

// Removes what kubectl cannot read in version 2, as kube-apiserver does.
void ToVersion2(api::JsonObject& schema) {
  // First, since it reads what is removed from the parts.
  const api::JsonObject* properties = api::ObjectAt(&schema, "properties");
  if (const api::JsonArray* required = api::ArrayAt(&schema, "required")) {
    api::JsonArray others;
    for (const api::Json& name : *required) {
      const api::JsonObject* property = api::ObjectAt(properties, api::AsString(name));
      if (!api::BoolAt(property, "nullable")) others.push_back(name);
    }
    schema["required"] = std::move(others);
    if (api::EmptyAt(&schema, "required")) schema.erase("required");
  }
  ForEachPart(schema, ToVersion2);
  Erase(schema, {"allOf", "anyOf", "oneOf", "not"});
  const bool nullable = api::BoolAt(&schema, "nullable");
  const bool preserves = api::BoolAt(&schema, "x-kubernetes-preserve-unknown-fields");
  if (nullable) Erase(schema, {"type", "nullable"});
  if (nullable || preserves) Erase(schema, {"items", "properties"});
  const std::string_view type = api::StringAt(&schema, "type");
  if ((type == "array" && api::At(&schema, "items") == nullptr) ||
      (type == "object" && preserves)) {
    schema.erase("type");
  }
}

api::JsonObject DefinedSchema(const crd::CustomVersion& version) {
  const api::Json schema = version.resource.ReadSchema(version);
  return schema.is_object() ? schema.get_object() : api::JsonObject{{"type", "object"}};
}

}  // namespace

std::string CustomSchemaName(const api::scheme::Kind& kind) {
  std::string name;
  std::string_view group = kind.group;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    name += group.substr(dot == group.npos ? 0 : dot + 1);
    name += '.';
    group = dot == group.npos ? std::string_view() : group.substr(0, dot);
  }
  return name + std::string(kind.version) + "." + std::string(kind.kind);
}

api::JsonObject CustomSchemaV3(const crd::CustomVersion& version, const api::Json& metadata) {
  api::JsonObject schema = DefinedSchema(version);
  AddEmbedded(schema, metadata, false);
  AddTypeMeta(schema, metadata);
  return schema;
}

api::JsonObject CustomSchemaV2(const crd::CustomVersion& version, const api::Json& metadata) {
  if (version.schema.preserve_unknown_fields) return {{"type", "object"}};
  api::JsonObject schema = DefinedSchema(version);
  ToVersion2(schema);
  AddEmbedded(schema, metadata, true);
  AddTypeMeta(schema, metadata);
  return schema;
}

}  // namespace berth::apiserver::openapi
