#include "apiserver/crd/rule_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/crd/escaped_name.h"
#include "apiserver/crd/schema.h"
#include "cel/libraries.h"

namespace berth::apiserver::crd {
namespace {

// The sizes of values as JSON, with their quotes.
constexpr uint64_t kMinStringBytes = 2;
constexpr uint64_t kMinBoolBytes = 4;
constexpr uint64_t kMinNumberBytes = 1;
constexpr uint64_t kMinContainerBytes = 2;
constexpr uint64_t kDateBytes = 12;
constexpr uint64_t kMinTimeBytes = 21;
constexpr uint64_t kMaxTimeBytes = 32;
constexpr uint64_t kMinDurationBytes = 3;
constexpr uint64_t kMaxDurationBytes = 32;
// What a property adds to its name and value: quotes, a colon and a comma.
constexpr uint64_t kMemberBytes = 4;
// The smallest entry of a map, without its value.
constexpr uint64_t kEntryBytes = 6;
// A character has up to four bytes.
constexpr uint64_t kCharacterBytes = 4;
// Longer names of types are abbreviated: a schema with long names and many levels has long paths.
constexpr size_t kMaxTypeName = 200;

bool IsText(const Schema* schema) {
  return schema != nullptr && schema->type == SchemaType::kString;
}

bool HasMetaFields(const Schema& schema) {
  const Schema* metadata = schema.FindProperty("metadata");
  return IsText(schema.FindProperty("kind")) && IsText(schema.FindProperty("apiVersion")) &&
         metadata != nullptr && metadata->type == SchemaType::kObject &&
         IsText(metadata->FindProperty("name")) && IsText(metadata->FindProperty("generateName"));
}

Schema* MutableProperty(Schema& schema, std::string_view name) {
  return const_cast<Schema*>(std::as_const(schema).FindProperty(name));
}

uint64_t NonNegative(int64_t number) { return static_cast<uint64_t>(std::max<int64_t>(number, 0)); }

std::optional<int64_t> LimitOf(const Schema& schema, std::optional<int64_t> Constraints::* limit) {
  return schema.constraints != nullptr ? schema.constraints.get()->*limit : std::nullopt;
}

uint64_t MaxLength(const Schema& schema, uint64_t factor) {
  if (const auto limit = LimitOf(schema, &Constraints::max_length)) {
    return NonNegative(*limit) * factor;
  }
  return kMaxRequestBytes - kMinStringBytes;
}

Schema TextSchema() {
  Schema schema;
  schema.type = SchemaType::kString;
  schema.is_visible_to_rules = true;
  return schema;
}

Schema MetadataSchema() {
  Schema schema;
  schema.type = SchemaType::kObject;
  schema.is_visible_to_rules = true;
  schema.properties.push_back({"generateName", TextSchema()});
  schema.properties.push_back({"name", TextSchema()});
  return schema;
}

}  // namespace

const Schema* RuleProperty(const Schema& schema, bool is_resource, std::string_view name) {
  if (is_resource && IsMetaField(name) && !HasMetaFields(schema)) {
    static const Schema text = TextSchema();
    static const Schema metadata = MetadataSchema();
    return name == "metadata" ? &metadata : &text;
  }
  return schema.FindProperty(name);
}

RuleTypes::RuleTypes(Schema& root) : environment_(&cel::KubernetesEnvironment()) {
  Build(root, true, "selfType");
}

const RuleType* RuleTypes::Find(const Schema& schema) const {
  const auto found = by_schema_.find(&schema);
  return found == by_schema_.end() ? nullptr : found->second;
}

void RuleTypes::Assign(Schema& schema, const RuleType* type) {
  schema.is_visible_to_rules = type != nullptr;
  if (!schema.rules.empty()) by_schema_[&schema] = type;
}

std::string RuleTypes::PartName(const std::string& name, std::string_view part) {
  return name.size() + part.size() < kMaxTypeName ? fmt::format("{}.{}", name, part) : NewName();
}

std::string RuleTypes::NewName() { return fmt::format("selfType{}", ++new_names_); }

const RuleType* RuleTypes::Build(Schema& schema, bool is_resource, const std::string& name) {
  const RuleType* type = nullptr;
  if (schema.int_or_string) {
    const bool has_length = LimitOf(schema, &Constraints::max_length).has_value();
    type = Add({.type = &cel::kDynType,
                .max_elements = MaxLength(schema, has_length ? kCharacterBytes : 1),
                .min_bytes = kMinNumberBytes});
  } else {
    switch (schema.type) {
      case SchemaType::kArray:
        type = BuildList(schema, name);
        break;
      case SchemaType::kObject:
        type = schema.additional_schema != nullptr ? BuildMap(schema, name)
                                                   : BuildObject(schema, is_resource, name);
        break;
      case SchemaType::kString:
        type = Add(BuildString(schema));
        break;
      case SchemaType::kBoolean:
        type = Add({.type = &cel::kBoolType, .min_bytes = kMinBoolBytes});
        break;
      case SchemaType::kNumber:
        type = Add({.type = &cel::kDoubleType, .min_bytes = kMinNumberBytes});
        break;
      case SchemaType::kInteger:
        type = Add({.type = &cel::kIntType, .min_bytes = kMinNumberBytes});
        break;
      case SchemaType::kAny:
        break;
    }
  }
  Assign(schema, type);
  return type;
}

RuleType RuleTypes::BuildString(const Schema& schema) const {
  const Constraints* rules = schema.constraints.get();
  switch (rules != nullptr ? rules->format : Format::kNone) {
    case Format::kByte:
      return {.type = &cel::kBytesType,
              .max_elements = MaxLength(schema, 1),
              .min_bytes = kMinStringBytes};
    case Format::kDuration:
      return {.type = &cel::kDurationType,
              .max_elements = kMaxDurationBytes,
              .min_bytes = kMinDurationBytes};
    case Format::kDate:
      return {.type = &cel::kTimestampType, .max_elements = kDateBytes, .min_bytes = kDateBytes};
    case Format::kDateTime:
      return {
          .type = &cel::kTimestampType, .max_elements = kMaxTimeBytes, .min_bytes = kMinTimeBytes};
    default:
      break;
  }
  RuleType type{.type = &cel::kStringType,
                .max_elements = MaxLength(schema, kCharacterBytes),
                .min_bytes = kMinStringBytes};
  if (rules != nullptr && !rules->max_length && !rules->listed_values.empty()) {
    type.max_elements = 0;
    for (const std::string& value : rules->listed_values) {
      type.max_elements = std::max<uint64_t>(type.max_elements, value.size());
    }
  }
  return type;
}

const RuleType* RuleTypes::BuildList(Schema& schema, const std::string& name) {
  if (schema.items == nullptr) return nullptr;
  const RuleType* items =
      Build(*schema.items, schema.items->embedded_resource, PartName(name, "@idx"));
  if (items == nullptr) return nullptr;
  const auto limit = LimitOf(schema, &Constraints::max_items);
  return Add(
      {.type = environment_.types().List(items->type),
       .max_elements = limit ? NonNegative(*limit)
                             : (kMaxRequestBytes - kMinContainerBytes) / (items->min_bytes + 1),
       .min_bytes = kMinContainerBytes,
       .elements = items});
}

const RuleType* RuleTypes::BuildMap(Schema& schema, const std::string& name) {
  static const RuleType keys{.type = &cel::kStringType, .min_bytes = kMinStringBytes};
  Schema& values_schema = *schema.additional_schema;
  const RuleType* values =
      Build(values_schema, values_schema.embedded_resource, PartName(name, "@elem"));
  if (values == nullptr) return nullptr;
  const auto limit = LimitOf(schema, &Constraints::max_properties);
  return Add({.type = environment_.types().Map(&cel::kStringType, values->type),
              .max_elements = limit ? NonNegative(*limit)
                                    : (kMaxRequestBytes - kMinContainerBytes) /
                                          (values->min_bytes + kEntryBytes),
              .min_bytes = kMinContainerBytes,
              .elements = values,
              .keys = &keys});
}

void RuleTypes::AddField(RuleType& object, std::string_view identifier, const RuleType* type) {
  const std::string& name = names_.emplace_back(identifier);
  object.fields.emplace(name, type);
  environment_.AddField(object.type, name, type->type);
}

void RuleTypes::AddMetaFields(Schema& schema, RuleType& object, const std::string& name) {
  static const RuleType text{.type = &cel::kStringType,
                             .max_elements = kMaxRequestBytes - kMinStringBytes,
                             .min_bytes = kMinStringBytes};
  RuleType metadata{
      .type = environment_.types().Object(names_.emplace_back(PartName(name, "metadata"))),
      .min_bytes = kMinContainerBytes};
  AddField(metadata, "name", &text);
  AddField(metadata, "generateName", &text);
  const RuleType* metadata_type = Add(std::move(metadata));
  AddField(object, "kind", &text);
  AddField(object, "apiVersion", &text);
  AddField(object, "metadata", metadata_type);
  // The definition may have rules for them all the same.
  for (const std::string_view field : {"kind", "apiVersion"}) {
    if (Schema* property = MutableProperty(schema, field)) Assign(*property, &text);
  }
  Schema* property = MutableProperty(schema, "metadata");
  if (property == nullptr) return;
  Assign(*property, metadata_type);
  for (const std::string_view field : {"name", "generateName"}) {
    if (Schema* part = MutableProperty(*property, field)) Assign(*part, &text);
  }
}

const RuleType* RuleTypes::BuildObject(Schema& schema, bool is_resource, const std::string& name) {
  RuleType object{.type = environment_.types().Object(names_.emplace_back(name)),
                  .min_bytes = kMinContainerBytes};
  const bool adds_meta = is_resource && !HasMetaFields(schema);
  std::set<std::string_view> required;
  if (schema.constraints != nullptr) {
    required.insert(schema.constraints->required.begin(), schema.constraints->required.end());
  }
  for (Schema::Property& property : schema.properties) {
    if (adds_meta && IsMetaField(property.name)) continue;
    const auto identifier = EscapedName(property.name);
    const RuleType* type = Build(property.schema, property.schema.embedded_resource,
                                 identifier ? PartName(name, *identifier) : NewName());
    if (type == nullptr) continue;
    if (identifier) AddField(object, *identifier, type);
    if (identifier && IsReservedWord(property.name)) {
      // Estimates of costs do not know this name, as in kube-apiserver.
      environment_.AddAlias(object.type, names_.emplace_back(property.name), *identifier);
    }
    if (required.contains(property.name) && property.schema.default_value == nullptr) {
      object.min_bytes += property.name.size() + type->min_bytes + kMemberBytes;
    }
  }
  if (adds_meta) {
    AddMetaFields(schema, object, name);
    for (const std::string_view field : {"kind", "apiVersion", "metadata"}) {
      if (!required.contains(field)) continue;
      object.min_bytes += field.size() + object.fields[field]->min_bytes + kMemberBytes;
    }
  }
  return Add(std::move(object));
}

}  // namespace berth::apiserver::crd
