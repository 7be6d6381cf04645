// Schema is the compiled form of a structural schema (spec.versions[].schema.openAPIV3Schema of a
// CustomResourceDefinition).
//
// Immutable and thread-safe once compiled. Its size is limited, so that neither a definition nor
// the objects that are validated by it can exhaust the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "apiserver/crd/formats.h"
#include "apiserver/crd/pattern.h"
#include "apiserver/crd/validation_rule.h"

namespace berth::apiserver::crd {

// The limits of all schemas of one definition. Its JSON has at most 1.5 MiB like any object; these
// bound what it becomes.
//
// The nesting of schemas in each other; an object can be nested about as deep.
inline constexpr size_t kMaxSchemaDepth = 64;
// The number of schemas, each of which takes some 200 bytes. The largest published definitions have
// a tenth of it.
inline constexpr size_t kMaxSchemaNodes = 100'000;
// The number of different patterns, each of which may cache some hundred KiB when it is matched.
// Published definitions have a dozen.
inline constexpr size_t kMaxPatterns = 200;
// The size of all patterns together, which takes some 100 ms to compile.
inline constexpr size_t kMaxPatternInstructions = 500'000;
// The number of validation rules, each of which takes some KiB once it is compiled. Published
// definitions have a hundred.
inline constexpr size_t kMaxRules = 5'000;
// The size of all their expressions, in nodes of their trees: about a second to compile. An
// ordinary rule has 20 to 50. A pattern in a rule counts as many, since it may cache 2 MiB when it
// is matched.
inline constexpr size_t kMaxRuleNodes = 500'000;
inline constexpr size_t kRulePatternNodes = 2'000;

enum class SchemaType : uint8_t {
  kAny,  // Not specified.
  kString,
  kNumber,
  kInteger,
  kBoolean,
  kArray,
  kObject,
};

// Returns the type as schemas have it: "string"; empty for kAny.
std::string_view NameOf(SchemaType type);

struct Schema;
struct Constraints;

struct Schema {
  // x-kubernetes-list-type
  enum class ListType : uint8_t { kAtomic, kSet, kMap };
  // additionalProperties: absent, false, true, or a schema.
  enum class Additional : uint8_t { kAbsent, kForbidden, kAny, kSchema };

  struct Property;

  Schema();
  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  SchemaType type = SchemaType::kAny;
  bool nullable = false;
  bool int_or_string = false;
  bool preserve_unknown_fields = false;
  bool embedded_resource = false;
  bool atomic_map = false;
  ListType list_type = ListType::kAtomic;
  Additional additional = Additional::kAbsent;
  std::vector<std::string> map_keys;  // x-kubernetes-list-map-keys, sorted.
  std::vector<Property> properties;   // By name.
  std::unique_ptr<Schema> items;
  std::unique_ptr<Schema> additional_schema;  // If kSchema.
  std::unique_ptr<api::Json> default_value;
  size_t default_bytes = 0;   // The size of the default as JSON.
  bool has_defaults = false;  // Here or below.
  bool has_rules = false;     // Here or below.
  // Rules can refer to values of the schema: it has a type, and so has what it contains. Set when
  // the rules are compiled (rule_compiler.h).
  bool is_visible_to_rules = false;
  std::vector<uint32_t> defaulted;  // The indices of the properties with a default.
  std::unique_ptr<Constraints> constraints;
  std::vector<ValidationRule> rules;  // x-kubernetes-validations

  // Returns the schema of the property, or null.
  const Schema* FindProperty(std::string_view name) const;
  // Returns the schema of a member: that of the property or of additional properties, or null.
  const Schema* SchemaOfMember(std::string_view name) const;
};

struct Schema::Property {
  std::string name;
  Schema schema;
};

// The validations of values, which many schemas lack.
struct Constraints {
  std::optional<double> maximum;
  std::optional<double> minimum;
  std::optional<double> multiple_of;
  bool exclusive_maximum = false;
  bool exclusive_minimum = false;
  std::optional<int64_t> max_length;
  std::optional<int64_t> min_length;
  std::optional<int64_t> max_items;
  std::optional<int64_t> min_items;
  std::optional<int64_t> max_properties;
  std::optional<int64_t> min_properties;
  std::shared_ptr<const Pattern> pattern;
  Format format = Format::kNone;
  std::vector<std::string> required;
  std::vector<std::string> values;         // The allowed values in canonical JSON, sorted.
  std::vector<std::string> listed_values;  // The same as errors list them.
  std::vector<Schema> all_of;
  std::vector<Schema> any_of;
  std::vector<Schema> one_of;
  std::unique_ptr<Schema> not_;
};

// Reports whether every resource has the member, whatever its schema says.
inline bool IsMetaField(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

// What compilation counts over all schemas of a definition.
struct SchemaBudget {
  size_t nodes = 0;
  size_t pattern_instructions = 0;
  size_t rules = 0;
  size_t rule_nodes = 0;
  std::map<std::string, std::shared_ptr<const Pattern>, std::less<>> patterns;
};

// Where and why a schema cannot be compiled.
struct SchemaError {
  std::string path;   // Below the schema: "properties[spec].pattern"; empty for the schema itself.
  std::string shown;  // The value as JSON; empty to forbid the field.
  std::string message;
};

// Compiles an OpenAPI v3 schema, all but the rules of x-kubernetes-validations (rule_compiler.h).
// Ignores what is not of the right type: schema_rules.h reports it.
std::expected<Schema, SchemaError> CompileSchema(const api::JsonObject& json, SchemaBudget& budget);

}  // namespace berth::apiserver::crd
