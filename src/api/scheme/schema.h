// The schemas of the kinds: their fields with types, protobuf numbers and descriptions. They are
// served as OpenAPI, detect unknown fields and wrong types, and describe the protobuf messages
// (api/protobuf).
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
    kMicroTime,
    kQuantity,
    kIntOrString,
    kStrings,  // A list of strings, as the value of a map.
    kObject,   // Of any fields.
    kAny,      // Any value.
    kSchema,
  };

  // What the value may be instead of an object of `schema`.
  enum class Alternative : uint8_t { kNone, kBool, kList, kStrings };

  std::string_view name;
  std::string_view description;     // Empty for rarely used fields.
  std::string_view patch_strategy;  // "merge", "merge,retainKeys"; empty: replace.
  std::string_view merge_key;
  std::string_view values;  // Of a string: all that it may have, "A|B"; empty: any.
  uint32_t number = 0;      // In the protobuf message; 0 if it is not in that message itself.
  bool keep_zero = false;   // Protobuf sets it even if it is zero or empty.
  bool required = false;
  Shape shape = Shape::kOne;
  Type type = Type::kString;
  Alternative alternative = Alternative::kNone;
  const Schema* schema = nullptr;  // If kSchema.
};

struct Schema {
  std::string name;  // "io.k8s.api.core.v1.PodSpec"
  std::string_view description;
  std::vector<SchemaField> fields;  // By name, including those of embedded types.

  // A type whose fields are embedded in JSON, and its number in protobuf.
  struct Embedded {
    uint32_t number = 0;
    const Schema* schema = nullptr;
  };
  std::vector<Embedded> embedded = {};

  const SchemaField* Find(std::string_view field) const;  // Null if there is none.
};

// Returns all schemas. They are built on first use and never change.
const std::deque<Schema>& Schemas();
// Returns the schema of a kind, or null.
const Schema* SchemaOf(std::string_view api_version, std::string_view kind);

// A field of an object that its schema lacks.
struct UnknownField {
  std::string path;     // "spec.nodNam"; at most kMaxQuotedBytes (api/field_errors.h).
  std::string value;    // As JSON, shortened for a message.
  std::string nearest;  // The most similar name of a field that exists there: "nodeName"; or "".
};

// Returns the fields that the schema of `kind` lacks, in document order; at most
// kMaxReportedErrors. Kinds without a schema have no unknown fields.
std::vector<UnknownField> FindUnknownFields(const Kind& kind, const Json& object);

// Returns the same as errors of kube-apiserver: `unknown field "spec.nodNam"`.
std::vector<std::string> UnknownFields(const Kind& kind, const Json& object);

}  // namespace berth::api::scheme
