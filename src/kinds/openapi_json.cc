#include "kinds/openapi_json.h"

#include <boost/json.hpp>

namespace berth::apiserver {
namespace {

constexpr std::string_view kQuantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
constexpr std::string_view kIntOrString = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

class SchemaWriter {
 public:
  explicit SchemaWriter(OpenApiVersion version) : version_(version) {}

  void AddKind(const Kind& kind) {
    const Schema* schema = SchemaOf(kind.api_version(), kind.kind);
    // Clients of version 2 would take what a short schema does not name for mistakes.
    if (schema == nullptr && version_ == OpenApiVersion::kV2) return;
    const std::string name = schema != nullptr ? schema->name : PlainName(kind);
    JsonObject& json = out_[name].emplace_object();
    json = schema != nullptr ? ObjectJson(*schema) : PlainJson();
    json["x-kubernetes-group-version-kind"] = JsonArray{KindJson(kind)};
  }

  // Adds what was referred to, and what that refers to.
  JsonObject Finish() {
    for (size_t next = 0; next < referred_.size(); ++next) {
      const Schema& schema = *referred_[next];
      // A kind that is referred to is there already, with more.
      if (!out_.contains(schema.name)) out_[schema.name] = ObjectJson(schema);
    }
    out_[kQuantity] = Quantity();
    out_[kIntOrString] = IntOrString();
    return std::move(out_);
  }

 private:
  // Refers to the schema of that name.
  Json Reference(std::string_view name) const {
    const std::string_view where =
        version_ == OpenApiVersion::kV2 ? "#/definitions/" : "#/components/schemas/";
    return JsonObject{{"$ref", std::string(where) + std::string(name)}};
  }

  Json Reference(const Schema& schema) {
    if (seen_.insert(&schema).second) referred_.push_back(&schema);
    return Reference(schema.name);
  }

  Json TypeJson(const SchemaField& field) {
    using Type = SchemaField::Type;
    switch (field.type) {
      case Type::kString:
        return JsonObject{{"type", "string"}};
      case Type::kInt:
        return JsonObject{{"type", "integer"}, {"format", "int32"}};
      case Type::kLong:
        return JsonObject{{"type", "integer"}, {"format", "int64"}};
      case Type::kDouble:
        return JsonObject{{"type", "number"}, {"format", "double"}};
      case Type::kBool:
        return JsonObject{{"type", "boolean"}};
      case Type::kBytes:
        return JsonObject{{"type", "string"}, {"format", "byte"}};
      case Type::kTime:
        return JsonObject{{"type", "string"}, {"format", "date-time"}};
      case Type::kQuantity:
        return Reference(kQuantity);
      case Type::kIntOrString:
        return Reference(kIntOrString);
      case Type::kObject:
        return JsonObject{{"type", "object"}};
      case Type::kSchema:
        break;
    }
    return Reference(*field.schema);
  }

  JsonObject FieldJson(const SchemaField& field) {
    JsonObject json;
    Json type = TypeJson(field);
    if (field.shape == SchemaField::Shape::kList) {
      json = {{"type", "array"}, {"items", std::move(type)}};
    } else if (field.shape == SchemaField::Shape::kMap) {
      json = {{"type", "object"}, {"additionalProperties", std::move(type)}};
    } else if (version_ == OpenApiVersion::kV3 && type.get_object().contains("$ref")) {
      // In version 3 nothing may stand beside a reference.
      json = {{"allOf", JsonArray{std::move(type)}}};
    } else {
      json = std::move(type.get_object());
    }
    if (!field.description.empty()) json["description"] = field.description;
    if (!field.patch_strategy.empty()) json["x-kubernetes-patch-strategy"] = field.patch_strategy;
    if (!field.merge_key.empty()) json["x-kubernetes-patch-merge-key"] = field.merge_key;
    return json;
  }

  JsonObject ObjectJson(const Schema& schema) {
    JsonObject json;
    if (!schema.description.empty()) json["description"] = schema.description;
    JsonArray required;
    JsonObject properties;
    for (const SchemaField& field : schema.fields) {
      if (field.required) required.emplace_back(field.name);
      properties[field.name] = FieldJson(field);
    }
    json["type"] = "object";
    if (!required.empty()) json["required"] = std::move(required);
    json["properties"] = std::move(properties);
    return json;
  }

  static std::string PlainName(const Kind& kind) {
    return "berth." + std::string(kind.group.empty() ? "core" : kind.group) + "." +
           std::string(kind.version) + "." + std::string(kind.kind);
  }

  JsonObject PlainJson() {
    JsonObject json;
    json["description"] = "Kept as it is given.";
    json["type"] = "object";
    JsonObject properties;
    properties["apiVersion"] = JsonObject{{"type", "string"}};
    properties["kind"] = JsonObject{{"type", "string"}};
    for (const Schema& schema : Schemas()) {
      if (schema.name == kObjectMeta) properties["metadata"] = Reference(schema);
    }
    json["properties"] = std::move(properties);
    // Other fields are not named, but are not wrong either.
    json["x-kubernetes-preserve-unknown-fields"] = true;
    return json;
  }

  JsonObject Quantity() const {
    const std::string_view text = "An amount: 500m, 2, 1.5Gi.";
    if (version_ == OpenApiVersion::kV2) return {{"description", text}, {"type", "string"}};
    return {{"description", text},
            {"oneOf", JsonArray{JsonObject{{"type", "string"}}, JsonObject{{"type", "number"}}}}};
  }

  JsonObject IntOrString() const {
    const std::string_view text = "A number, or text such as 25%.";
    JsonObject json = {{"description", text}, {"format", "int-or-string"}};
    if (version_ == OpenApiVersion::kV2) {
      json["type"] = "string";
    } else {
      json["oneOf"] = JsonArray{JsonObject{{"type", "integer"}}, JsonObject{{"type", "string"}}};
    }
    return json;
  }

  OpenApiVersion version_;
  JsonObject out_;
  std::vector<const Schema*> referred_;
  std::set<const Schema*> seen_;
};

}  // namespace

JsonObject SchemasJson(const std::vector<const Kind*>& kinds, OpenApiVersion version) {
  SchemaWriter writer(version);
  for (const Kind* kind : kinds) writer.AddKind(*kind);
  return writer.Finish();
}

JsonObject KindJson(const Kind& kind) {
  return {{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}};
}

std::string PathOf(const Kind& kind, bool named) {
  std::string path = kind.group.empty() ? "/api/" : "/apis/";
  path += kind.api_version();
  if (kind.namespaced) path += "/namespaces/{namespace}";
  path += "/";
  path += kind.resource;
  if (named) path += "/{name}";
  return path;
}

}  // namespace berth::apiserver
