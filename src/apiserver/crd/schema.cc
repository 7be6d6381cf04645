#include "apiserver/crd/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/crd/validation_work.h"

namespace berth::apiserver::crd {

// Defined here, where Constraints is complete.
Schema::Schema() = default;
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

const Schema* Schema::FindProperty(std::string_view name) const {
  const auto found = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return found != properties.end() && found->name == name ? &found->schema : nullptr;
}

const Schema* Schema::SchemaOfMember(std::string_view name) const {
  const Schema* property = FindProperty(name);
  return property != nullptr ? property : additional_schema.get();
}

namespace {

struct TypeRow {
  std::string_view name;
  SchemaType type;
};

constexpr std::array kTypes = std::to_array<TypeRow>({{"string", SchemaType::kString},
                                                      {"number", SchemaType::kNumber},
                                                      {"integer", SchemaType::kInteger},
                                                      {"boolean", SchemaType::kBoolean},
                                                      {"array", SchemaType::kArray},
                                                      {"object", SchemaType::kObject}});

SchemaType TypeNamed(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeRow::name);
  return found == kTypes.end() ? SchemaType::kAny : found->type;
}

std::optional<double> NumberAt(const api::JsonObject& json, std::string_view key) {
  const api::Json* value = api::At(&json, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

std::vector<std::string> StringsAt(const api::JsonObject& json, std::string_view key) {
  std::vector<std::string> texts;
  const api::JsonArray* list = api::ArrayAt(&json, key);
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    texts.emplace_back(api::AsString((*list)[i]));
  }
  return texts;
}

// A step of the path to a schema, for errors.
struct SchemaPath {
  const SchemaPath* parent = nullptr;
  std::string_view keyword;                    // "properties"
  std::string_view key;                        // Of properties.
  std::optional<size_t> index = std::nullopt;  // Of allOf and others.

  std::string ToString() const {
    std::string text = parent != nullptr ? parent->ToString() : "";
    if (!text.empty()) text += '.';
    text += keyword;
    if (index) return text + fmt::format("[{}]", *index);
    return key.data() == nullptr ? text : text + fmt::format("[{}]", key);
  }
};

class SchemaCompiler {
 public:
  explicit SchemaCompiler(SchemaBudget& budget) : budget_(budget) {}

  bool Compile(const api::JsonObject& json, const SchemaPath* path, size_t depth, Schema& out) {
    if (depth > kMaxSchemaDepth) {
      return Fail(
          path, {}, "",
          fmt::format("schemas may not be nested more than {} levels deep", kMaxSchemaDepth));
    }
    if (++budget_.nodes > kMaxSchemaNodes) {
      return Fail(path, {}, "",
                  fmt::format("a definition may not have more than {} schemas", kMaxSchemaNodes));
    }
    CompileOwn(json, out);
    out.rules = ReadRules(json);
    budget_.rules += out.rules.size();
    if (budget_.rules > kMaxRules) {
      return Fail(path, "x-kubernetes-validations", "",
                  fmt::format("a definition may not have more than {} rules", kMaxRules));
    }
    return CompileConstraints(json, path, depth, out) && CompileParts(json, path, depth, out);
  }

  SchemaError Take() { return std::move(error_); }

 private:
  bool Fail(const SchemaPath* path, std::string_view keyword, std::string shown,
            std::string message) {
    error_.path = path != nullptr ? path->ToString() : "";
    if (!keyword.empty()) {
      if (!error_.path.empty()) error_.path += '.';
      error_.path += keyword;
    }
    error_.shown = std::move(shown);
    error_.message = std::move(message);
    return false;
  }

  static void CompileOwn(const api::JsonObject& json, Schema& out) {
    out.type = TypeNamed(api::StringAt(&json, "type"));
    out.nullable = api::BoolAt(&json, "nullable");
    out.int_or_string = api::BoolAt(&json, "x-kubernetes-int-or-string");
    out.preserve_unknown_fields = api::BoolAt(&json, "x-kubernetes-preserve-unknown-fields");
    out.embedded_resource = api::BoolAt(&json, "x-kubernetes-embedded-resource");
    out.atomic_map = api::StringAt(&json, "x-kubernetes-map-type") == "atomic";
    const std::string_view list = api::StringAt(&json, "x-kubernetes-list-type");
    if (list == "set") out.list_type = Schema::ListType::kSet;
    if (list == "map") out.list_type = Schema::ListType::kMap;
    out.map_keys = StringsAt(json, "x-kubernetes-list-map-keys");
    std::ranges::sort(out.map_keys);
    if (const api::Json* value = api::At(&json, "default")) {
      // On the heap: the definition's document may be in the memory of a request.
      out.default_value = std::make_unique<api::Json>(*value, boost::json::storage_ptr());
      out.default_bytes = api::ToJsonText(*value).size();
    }
  }

  bool CompilePattern(std::string_view text, const SchemaPath* path,
                      std::shared_ptr<const Pattern>& out) {
    const auto known = budget_.patterns.find(text);
    if (known != budget_.patterns.end()) {
      out = known->second;
      return true;
    }
    if (budget_.patterns.size() >= kMaxPatterns) {
      return Fail(
          path, "pattern", "",
          fmt::format("a definition may not have more than {} different patterns", kMaxPatterns));
    }
    auto pattern = Pattern::Compile(text);
    if (!pattern) {
      return Fail(
          path, "pattern", api::JsonQuoted(text),
          fmt::format("must be a valid regular expression, but isn't: {}", pattern.error()));
    }
    const size_t instructions = (*pattern)->instructions();
    if (!ValidationWork::Charge(instructions * kCompiledInstructionWork)) {
      return Fail(path, "pattern", "", "the definition takes too long to compile");
    }
    budget_.pattern_instructions += instructions;
    if (budget_.pattern_instructions > kMaxPatternInstructions) {
      return Fail(path, "pattern", "", "the patterns of the definition are too large");
    }
    out = *std::move(pattern);
    budget_.patterns.emplace(text, out);
    return true;
  }

  bool CompileConstraints(const api::JsonObject& json, const SchemaPath* path, size_t depth,
                          Schema& out) {
    static constexpr std::array kKeywords = std::to_array<std::string_view>(
        {"maximum", "minimum", "multipleOf", "maxLength", "minLength", "maxItems", "minItems",
         "maxProperties", "minProperties", "pattern", "format", "required", "enum", "allOf",
         "anyOf", "oneOf", "not"});
    if (std::ranges::none_of(kKeywords, [&](auto key) { return json.contains(key); })) return true;
    auto rules = std::make_unique<Constraints>();
    rules->maximum = NumberAt(json, "maximum");
    rules->minimum = NumberAt(json, "minimum");
    rules->multiple_of = NumberAt(json, "multipleOf");
    rules->exclusive_maximum = api::BoolAt(&json, "exclusiveMaximum");
    rules->exclusive_minimum = api::BoolAt(&json, "exclusiveMinimum");
    rules->max_length = api::IntAt(&json, "maxLength");
    rules->min_length = api::IntAt(&json, "minLength");
    rules->max_items = api::IntAt(&json, "maxItems");
    rules->min_items = api::IntAt(&json, "minItems");
    rules->max_properties = api::IntAt(&json, "maxProperties");
    rules->min_properties = api::IntAt(&json, "minProperties");
    const std::string_view pattern = api::StringAt(&json, "pattern");
    if (!pattern.empty() && !CompilePattern(pattern, path, rules->pattern)) return false;
    rules->format =
        FindFormat(api::StringAt(&json, "format"), out.int_or_string ? SchemaType::kAny : out.type);
    rules->required = StringsAt(json, "required");
    const api::JsonArray* values = api::ArrayAt(&json, "enum");
    for (size_t i = 0; values != nullptr && i < values->size(); ++i) {
      const api::Json& value = (*values)[i];
      rules->values.push_back(api::ToCanonicalJson(value));
      rules->listed_values.push_back(value.is_string() ? std::string(api::AsString(value))
                                                       : rules->values.back());
    }
    std::ranges::sort(rules->values);
    if (!CompileList(json, "allOf", path, depth, rules->all_of) ||
        !CompileList(json, "anyOf", path, depth, rules->any_of) ||
        !CompileList(json, "oneOf", path, depth, rules->one_of)) {
      return false;
    }
    if (!CompileOne(json, "not", path, depth, rules->not_)) return false;
    out.constraints = std::move(rules);
    return true;
  }

  bool CompileList(const api::JsonObject& json, std::string_view keyword, const SchemaPath* path,
                   size_t depth, std::vector<Schema>& out) {
    const api::JsonArray* list = api::ArrayAt(&json, keyword);
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const api::JsonObject* element = api::AsObject((*list)[i]);
      if (element == nullptr) continue;
      const SchemaPath at{.parent = path, .keyword = keyword, .key = {}, .index = i};
      if (!Compile(*element, &at, depth + 1, out.emplace_back())) return false;
    }
    return true;
  }

  bool CompileOne(const api::JsonObject& json, std::string_view keyword, const SchemaPath* path,
                  size_t depth, std::unique_ptr<Schema>& out) {
    const api::JsonObject* part = api::ObjectAt(&json, keyword);
    if (part == nullptr) return true;
    out = std::make_unique<Schema>();
    const SchemaPath at{.parent = path, .keyword = keyword, .key = {}};
    return Compile(*part, &at, depth + 1, *out);
  }

  bool CompileParts(const api::JsonObject& json, const SchemaPath* path, size_t depth,
                    Schema& out) {
    if (const api::JsonObject* properties = api::ObjectAt(&json, "properties")) {
      out.properties.reserve(properties->size());
      for (const auto& [name, value] : *properties) {
        const api::JsonObject* property = value.if_object();
        if (property == nullptr) continue;
        const SchemaPath at{.parent = path, .keyword = "properties", .key = name};
        out.properties.push_back({std::string(name), Schema()});
        if (!Compile(*property, &at, depth + 1, out.properties.back().schema)) return false;
      }
      std::ranges::sort(out.properties, {}, &Schema::Property::name);
    }
    if (!CompileOne(json, "items", path, depth, out.items)) return false;
    if (!CompileOne(json, "additionalProperties", path, depth, out.additional_schema)) return false;
    if (out.additional_schema != nullptr) {
      out.additional = Schema::Additional::kSchema;
    } else if (const api::Json* allowed = api::At(&json, "additionalProperties")) {
      out.additional = allowed->is_bool() && allowed->get_bool() ? Schema::Additional::kAny
                                                                 : Schema::Additional::kForbidden;
    }
    NoteDefaults(out);
    NoteRules(out);
    return true;
  }

  static void NoteRules(Schema& out) {
    const auto has = [](const std::unique_ptr<Schema>& part) {
      return part != nullptr && part->has_rules;
    };
    out.has_rules = !out.rules.empty() || has(out.items) || has(out.additional_schema) ||
                    std::ranges::any_of(out.properties, [](const Schema::Property& property) {
                      return property.schema.has_rules;
                    });
  }

  static void NoteDefaults(Schema& out) {
    const auto has = [](const std::unique_ptr<Schema>& part) {
      return part != nullptr && (part->has_defaults || part->default_value != nullptr);
    };
    out.has_defaults = has(out.items) || has(out.additional_schema);
    for (size_t i = 0; i < out.properties.size(); ++i) {
      const Schema& property = out.properties[i].schema;
      if (property.default_value != nullptr) out.defaulted.push_back(static_cast<uint32_t>(i));
      if (property.default_value != nullptr || property.has_defaults) out.has_defaults = true;
    }
  }

  SchemaBudget& budget_;
  SchemaError error_;
};

}  // namespace

std::string_view NameOf(SchemaType type) {
  const auto found = std::ranges::find(kTypes, type, &TypeRow::type);
  return found == kTypes.end() ? std::string_view() : found->name;
}

std::expected<Schema, SchemaError> CompileSchema(const api::JsonObject& json,
                                                 SchemaBudget& budget) {
  SchemaCompiler compiler(budget);
  Schema schema;
  if (!compiler.Compile(json, nullptr, 1, schema)) return std::unexpected(compiler.Take());
  return schema;
}

}  // namespace berth::apiserver::crd
