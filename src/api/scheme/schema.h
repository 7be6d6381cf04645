// The schemas of the kinds: their fields with types and descriptions. They are served as OpenAPI,
// and detect unknown fields and wrong types.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"

namespace berth::api::scheme {

struct Kind;
struct Schema;

struct SchemaField {
  enum class Shape : uint8_t { kOne, kList, kMap };
  enum class Type : uint8_t {
    kString,
    kInt,   // 32 bits
    kLong,  // 64 bits
    kDouble,
    kBool,
    kBytes,  // In base64.
    kTime,
    kQuantity,
    kIntOrString,
    kObject,  // Of any fields.
    kAny,     // Any value.
    kSchema,
  };

  std::string_view name;
  std::string_view description;     // Empty for rarely used fields.
  std::string_view patch_strategy;  // "merge", "merge,retainKeys"; empty: replace.
  std::string_view merge_key;
  bool required = false;
  Shape shape = Shape::kOne;
  Type type = Type::kString;
  const Schema* schema = nullptr;  // If kSchema.
};

struct Schema {
  std::string name;  // "io.k8s.api.core.v1.PodSpec"
  std::string_view description;
  std::vector<SchemaField> fields;  // By name.

  const SchemaField* Find(std::string_view field) const;  // Null if there is none.
};

// Returns all schemas. They are built on first use and never change.
const std::deque<Schema>& Schemas();
// Returns the schema of a kind, or null.
const Schema* SchemaOf(std::string_view api_version, std::string_view kind);

// Returns an error such as `unknown field "spec.nodNam"` for each field that the schema of `kind`
// lacks, in document order; at most kMaxReportedErrors, with paths of at most kMaxQuotedBytes
// (api/field_errors.h). Kinds without a schema have no unknown fields.
std::vector<std::string> UnknownFields(const Kind& kind, const Json& object);

}  // namespace berth::api::scheme
