#include "apiserver/crd/schema_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/crd/coercion.h"
#include "apiserver/crd/list_type_rules.h"
#include "apiserver/crd/rule_compiler.h"
#include "apiserver/crd/rule_validation.h"
#include "apiserver/crd/schema.h"
#include "apiserver/crd/validation.h"

namespace berth::apiserver::crd {
namespace {

using admission::FieldErrors;
using admission::FieldPath;

enum class Level : uint8_t { kRoot, kItem, kField };

constexpr std::array kTypeNames =
    std::to_array<std::string_view>({"array", "boolean", "integer", "number", "object", "string"});

bool HasAny(const api::JsonObject& schema, std::string_view keyword) {
  return !api::IsEmpty(api::At(&schema, keyword));
}

// Reports whether `list` is [{type: integer}, {type: string}], which x-kubernetes-int-or-string may
// have although types are not allowed there.
bool IsIntOrString(const api::JsonArray* list) {
  static const api::Json kInteger = {{"type", "integer"}};
  static const api::Json kString = {{"type", "string"}};
  return list != nullptr && list->size() == 2 && (*list)[0] == kInteger && (*list)[1] == kString;
}

// What holds for a schema because of those that contain it.
struct RuleContext {
  Level level = Level::kRoot;
  bool inside_meta = false;                // In the schema of metadata, kind or apiVersion.
  std::string_view forbids_defaults = {};  // The reason, if they are.
  std::string_view property = {};          // With that reason.
};

class SchemaRules {
 public:
  explicit SchemaRules(FieldErrors& errors) : errors_(errors) {}

  // Checks a schema that describes the structure.
  void Check(const api::JsonObject& schema, const FieldPath& path, const RuleContext& context) {
    if (errors_.full()) return;
    CheckKeywords(schema, path, context);
    CheckExtensions(schema, path);
    CheckTypes(schema, path, context.level);
    CheckMetadata(schema, path, context.level);
    CheckParts(schema, path, context);
    const bool skip_any = IsIntOrString(api::ArrayAt(&schema, "anyOf"));
    CheckJunctors(schema, path, skip_any, IsIntOrStringAllOf(schema), context);
  }

 private:
  static std::string_view TypeOf(const api::JsonObject& schema) {
    return api::StringAt(&schema, "type");
  }

  static bool IsIntOrStringAllOf(const api::JsonObject& schema) {
    const api::JsonArray* all = api::ArrayAt(&schema, "allOf");
    return all != nullptr && !all->empty() &&
           IsIntOrString(api::ArrayAt(api::AsObject((*all)[0]), "anyOf"));
  }

  // Keywords that no schema may have, or only with certain values.
  void CheckKeywords(const api::JsonObject& schema, const FieldPath& path,
                     const RuleContext& context) {
    const std::string_view type = TypeOf(schema);
    if (!type.empty() && std::ranges::find(kTypeNames, type) == kTypeNames.end()) {
      errors_.NotSupported(path / "type", type, kTypeNames);
    }
    if (type == "null") {
      errors_.Forbidden(path / "type",
                        "type cannot be set to null, use nullable as an alternative");
    }
    if (api::At(&schema, "default") != nullptr && !context.forbids_defaults.empty()) {
      errors_.Forbidden(path / "default", fmt::format("must not be set {}{}",
                                                      context.forbids_defaults, context.property));
    }
    for (const std::string_view keyword :
         {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"}) {
      if (api::At(&schema, keyword) == nullptr) continue;
      errors_.Forbidden(path / keyword, fmt::format("{} is not supported", keyword));
    }
    if (api::BoolAt(&schema, "uniqueItems")) {
      errors_.Forbidden(path / "uniqueItems",
                        "uniqueItems cannot be set to true since the runtime complexity becomes "
                        "quadratic");
    }
    const api::Json* items = api::At(&schema, "items");
    if (items != nullptr && items->is_array()) {
      errors_.Forbidden(path / "items", "items must be a schema object and not an array");
    }
    const api::Json* additional = api::At(&schema, "additionalProperties");
    const bool open = additional == nullptr || (additional->is_bool() && additional->get_bool());
    if (HasAny(schema, "properties") && !open) {
      errors_.Forbidden(path / "additionalProperties",
                        "additionalProperties and properties are mutual exclusive");
    }
    if (context.inside_meta && api::BoolAt(&schema, "x-kubernetes-embedded-resource")) {
      errors_.Forbidden(path / "x-kubernetes-embedded-resource",
                        "must not be used inside of resource meta");
    }
  }

  void CheckExtensions(const api::JsonObject& schema, const FieldPath& path) {
    const api::Json* preserve = api::At(&schema, "x-kubernetes-preserve-unknown-fields");
    if (preserve != nullptr && preserve->is_bool() && !preserve->get_bool()) {
      errors_.InvalidValue(path / "x-kubernetes-preserve-unknown-fields", *preserve,
                           "must be true or undefined");
    }
    if (api::BoolAt(&schema, "x-kubernetes-int-or-string")) {
      for (const std::string_view other :
           {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
        if (!api::BoolAt(&schema, other)) continue;
        errors_.InvalidText(path / other, "true",
                            "must be false if x-kubernetes-int-or-string is true");
      }
    }
    const std::string_view map_type = api::StringAt(&schema, "x-kubernetes-map-type");
    if (!map_type.empty()) {
      RequireType(schema, path, "object", "x-kubernetes-map-type is specified", errors_);
      if (map_type != "atomic" && map_type != "granular") {
        errors_.NotSupported(path / "x-kubernetes-map-type", map_type, {"atomic", "granular"});
      }
    }
    CheckListType(schema, path, errors_);
    CheckRuleTexts(schema, path, errors_);
  }

  void CheckTypes(const api::JsonObject& schema, const FieldPath& path, Level level) {
    const std::string_view type = TypeOf(schema);
    const bool embedded = api::BoolAt(&schema, "x-kubernetes-embedded-resource");
    const bool preserves = api::BoolAt(&schema, "x-kubernetes-preserve-unknown-fields");
    if (type == "array" && api::At(&schema, "items") == nullptr) {
      errors_.Required(path / "items", "must be specified");
    }
    if (embedded) {
      RequireType(schema, path, "object", "x-kubernetes-embedded-resource is true", errors_);
      if (api::At(&schema, "additionalProperties") != nullptr) {
        errors_.Forbidden(path / "additionalProperties",
                          "must not be used if x-kubernetes-embedded-resource is set");
      }
      if (!preserves && !HasAny(schema, "properties")) {
        errors_.Required(path / "properties",
                         "must not be empty if x-kubernetes-embedded-resource is true without "
                         "x-kubernetes-preserve-unknown-fields");
      }
    } else if (type.empty() && !api::BoolAt(&schema, "x-kubernetes-int-or-string") && !preserves) {
      errors_.Required(path / "type", level == Level::kRoot ? "must not be empty at the root"
                                      : level == Level::kItem
                                          ? "must not be empty for specified array items"
                                          : "must not be empty for specified object fields");
    }
    if (level != Level::kRoot) return;
    if (!type.empty() && type != "object") {
      errors_.Invalid(path / "type", type, "must be object at the root");
    }
    if (api::At(&schema, "additionalProperties") != nullptr) {
      errors_.Forbidden(path / "additionalProperties", "must not be used at the root");
    }
  }

  void CheckMetadata(const api::JsonObject& schema, const FieldPath& path, Level level) {
    const api::JsonObject* properties = api::ObjectAt(&schema, "properties");
    const bool resource =
        level == Level::kRoot || api::BoolAt(&schema, "x-kubernetes-embedded-resource");
    const FieldPath list = path / "properties";
    for (const std::string_view name : {"kind", "apiVersion"}) {
      const api::JsonObject* property = api::ObjectAt(properties, name);
      if (!resource || property == nullptr || TypeOf(*property) == "string") continue;
      const FieldPath at = list.Key(name);
      errors_.Invalid(at / "type", TypeOf(*property), "must be string");
    }
    const api::JsonObject* metadata = api::ObjectAt(properties, "metadata");
    if (metadata == nullptr) return;
    const FieldPath at = list.Key("metadata");
    if (resource && TypeOf(*metadata) != "object") {
      errors_.Invalid(at / "type", TypeOf(*metadata), "must be object");
    }
    if (level != Level::kRoot) return;
    const auto allowed = [](const auto& member) {
      const std::string_view key = member.key();
      return key == "type" || key == "properties" || key == "default";
    };
    const auto is_name = [](const auto& member) {
      return member.key() == "name" || member.key() == "generateName";
    };
    const api::JsonObject* names = api::ObjectAt(metadata, "properties");
    if (!std::ranges::all_of(*metadata, allowed) ||
        (names != nullptr && !std::ranges::all_of(*names, is_name))) {
      errors_.Forbidden(at,
                        "must not specify anything other than name and generateName, but "
                        "metadata is implicitly specified");
    }
  }

  void CheckParts(const api::JsonObject& schema, const FieldPath& path,
                  const RuleContext& context) {
    const bool resource =
        context.level == Level::kRoot || api::BoolAt(&schema, "x-kubernetes-embedded-resource");
    if (const api::JsonObject* properties = api::ObjectAt(&schema, "properties")) {
      const FieldPath list = path / "properties";
      for (const auto& [name, value] : *properties) {
        const api::JsonObject* property = value.if_object();
        if (property == nullptr) continue;
        RuleContext below = context;
        below.level = Level::kField;
        if (resource && IsMetaField(name)) {
          below.inside_meta = true;
          if (context.level == Level::kRoot) {
            below.forbids_defaults = "in top-level ";
            below.property = name;
          }
        }
        Check(*property, list.Key(name), below);
      }
    }
    if (const api::JsonObject* items = api::ObjectAt(&schema, "items")) {
      RuleContext below = context;
      below.level = Level::kItem;
      Check(*items, path / "items", below);
    }
    if (const api::JsonObject* additional = api::ObjectAt(&schema, "additionalProperties")) {
      RuleContext below = context;
      below.level = Level::kField;
      if (context.inside_meta) {
        below.forbids_defaults = "inside additionalProperties applying to object metadata";
        below.property = {};
      }
      Check(*additional, path / "additionalProperties", below);
    }
  }

  void CheckJunctors(const api::JsonObject& schema, const FieldPath& path, bool skip_any_of,
                     bool skip_first_all_of, const RuleContext& context) {
    for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      if (keyword == "anyOf" && skip_any_of) continue;
      const api::JsonArray* list = api::ArrayAt(&schema, keyword);
      const FieldPath at = path / keyword;
      for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const api::JsonObject* nested = api::AsObject((*list)[i]);
        if (nested == nullptr) continue;
        CheckNested(*nested, at[i], keyword == "allOf" && i == 0 && skip_first_all_of, context);
      }
    }
    if (const api::JsonObject* nested = api::ObjectAt(&schema, "not")) {
      CheckNested(*nested, path / "not", false, context);
    }
  }

  // Checks a schema in allOf, anyOf, oneOf or not, which may only validate values.
  void CheckNested(const api::JsonObject& schema, const FieldPath& path, bool skip_any_of,
                   const RuleContext& context) {
    if (errors_.full()) return;
    CheckKeywords(schema, path, context);
    for (const std::string_view keyword : {"type", "title", "description"}) {
      if (!api::StringAt(&schema, keyword).empty()) {
        errors_.Forbidden(path / keyword, "must be empty to be structural");
      }
    }
    for (const std::string_view keyword :
         {"additionalProperties", "default", "x-kubernetes-list-type", "x-kubernetes-map-type"}) {
      if (api::At(&schema, keyword) != nullptr) {
        errors_.Forbidden(path / keyword, "must be undefined to be structural");
      }
    }
    for (const std::string_view keyword :
         {"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
          "x-kubernetes-int-or-string"}) {
      if (api::BoolAt(&schema, keyword)) {
        errors_.Forbidden(path / keyword, "must be false to be structural");
      }
    }
    for (const std::string_view keyword :
         {"x-kubernetes-list-map-keys", "x-kubernetes-validations"}) {
      if (HasAny(schema, keyword)) {
        errors_.Forbidden(path / keyword, "must be empty to be structural");
      }
    }
    CheckJunctors(schema, path, skip_any_of, false, context);
    if (const api::JsonObject* items = api::ObjectAt(&schema, "items")) {
      CheckNested(*items, path / "items", false, context);
    }
    const api::JsonObject* properties = api::ObjectAt(&schema, "properties");
    if (properties == nullptr) return;
    const FieldPath list = path / "properties";
    for (const auto& [name, value] : *properties) {
      const FieldPath at = list.Key(name);
      if (name == "metadata") errors_.Forbidden(at, "must not be specified in a nested context");
      if (const api::JsonObject* property = value.if_object()) {
        CheckNested(*property, at, false, context);
      }
    }
  }

  FieldErrors& errors_;
};

// Completeness: what a nested schema validates must be in the structure.
class Completeness {
 public:
  explicit Completeness(FieldErrors& errors) : errors_(errors) {}

  void CheckJunctors(const api::JsonObject& nested, const api::JsonObject& structure,
                     const FieldPath& nested_path, const FieldPath& path) {
    if (errors_.full()) return;
    if (const api::JsonObject* part = api::ObjectAt(&nested, "not")) {
      Check(*part, structure, nested_path / "not", path);
    }
    for (const std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      const api::JsonArray* list = api::ArrayAt(&nested, keyword);
      const FieldPath at = nested_path / keyword;
      for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const api::JsonObject* part = api::AsObject((*list)[i]);
        if (part != nullptr) Check(*part, structure, at[i], path);
      }
    }
  }

 private:
  void Check(const api::JsonObject& nested, const api::JsonObject& structure,
             const FieldPath& nested_path, const FieldPath& path) {
    CheckJunctors(nested, structure, nested_path, path);
    if (const api::JsonObject* items = api::ObjectAt(&nested, "items")) {
      CheckPart(*items, api::ObjectAt(&structure, "items"), nested_path / "items", path / "items");
    }
    const api::JsonObject* properties = api::ObjectAt(&nested, "properties");
    if (properties == nullptr) return;
    const FieldPath nested_list = nested_path / "properties";
    const FieldPath list = path / "properties";
    for (const auto& [name, value] : *properties) {
      const api::JsonObject* property = value.if_object();
      if (property == nullptr) continue;
      CheckPart(*property, api::ObjectAt(api::ObjectAt(&structure, "properties"), name),
                nested_list.Key(name), list.Key(name));
    }
  }

  void CheckPart(const api::JsonObject& nested, const api::JsonObject* structure,
                 const FieldPath& nested_path, const FieldPath& path) {
    if (structure != nullptr) return Check(nested, *structure, nested_path, path);
    errors_.Required(path, fmt::format("because it is defined in {}", nested_path.ToString()));
  }

  FieldErrors& errors_;
};

// The keywords that the root may have if the status can be validated by itself.
constexpr std::array kRootKeywords =
    std::to_array<std::string_view>({"description",
                                     "type",
                                     "format",
                                     "title",
                                     "maximum",
                                     "exclusiveMaximum",
                                     "minimum",
                                     "exclusiveMinimum",
                                     "maxLength",
                                     "minLength",
                                     "pattern",
                                     "maxItems",
                                     "minItems",
                                     "uniqueItems",
                                     "multipleOf",
                                     "required",
                                     "items",
                                     "properties",
                                     "externalDocs",
                                     "example",
                                     "x-kubernetes-preserve-unknown-fields",
                                     "x-kubernetes-validations"});

}  // namespace

void CheckSchemaRules(const api::JsonObject& schema, const FieldPath& path, bool has_status,
                      FieldErrors& errors) {
  const auto is_allowed = [](const auto& member) {
    const std::string_view key = member.key();
    return member.value().is_null() || std::ranges::find(kRootKeywords, key) != kRootKeywords.end();
  };
  if (has_status && !std::ranges::all_of(schema, is_allowed)) {
    errors.InvalidText(path, api::Limited(api::ToJsonText(schema)),
                       "only [Description Type Format Title Maximum ExclusiveMaximum Minimum "
                       "ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems "
                       "MultipleOf Required Items Properties ExternalDocs Example "
                       "XPreserveUnknownFields XValidations] fields are allowed at the root of the "
                       "schema if the status subresource is enabled");
  }
  if (api::BoolAt(&schema, "nullable")) {
    errors.Forbidden(path / "nullable", "nullable cannot be true at the root");
  }
  SchemaRules(errors).Check(schema, path, {});
  Completeness(errors).CheckJunctors(schema, schema, path, path);
}

namespace {

void CheckDefaultsBelow(const Schema& schema, const FieldPath& path, RuleBudget& budget,
                        FieldErrors& errors) {
  if (errors.full()) return;
  if (schema.default_value != nullptr) {
    const FieldPath at = path / "default";
    api::Json pruned = *schema.default_value;
    PruneValue(schema, pruned);
    if (pruned != *schema.default_value) {
      errors.InvalidValue(at, *schema.default_value, "must not have unknown fields");
    }
    ValidateValue(schema, *schema.default_value, nullptr, at.ToString(), errors);
    if (errors.empty()) ValidateDefaultByRules(schema, at, budget, errors);
  }
  if (!schema.has_defaults) return;
  if (schema.items != nullptr) CheckDefaultsBelow(*schema.items, path / "items", budget, errors);
  const FieldPath list = path / "properties";
  for (const Schema::Property& property : schema.properties) {
    CheckDefaultsBelow(property.schema, list.Key(property.name), budget, errors);
  }
}

}  // namespace

void CheckDefaults(const Schema& schema, const FieldPath& path, FieldErrors& errors) {
  RuleBudget budget;
  CheckDefaultsBelow(schema, path, budget, errors);
}

}  // namespace berth::apiserver::crd
