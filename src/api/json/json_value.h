// JsonValue is a lossless JSON tree for strict decoding: it preserves the order of members,
// repeated keys and the text of numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::api {

struct JsonMember;

struct JsonValue {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  // Of a string, unescaped; of a number, as written.
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;

  static JsonValue Bool(bool value);
  static JsonValue Number(std::string text);
  static JsonValue Number(int64_t value);
  static JsonValue String(std::string_view text);
  static JsonValue Array();
  static JsonValue Object();

  bool IsNull() const { return kind == Kind::kNull; }
  // Returns the last member of that name, or nullptr if there is none or this is not an object.
  const JsonValue* Find(std::string_view name) const;
  void Add(std::string_view name, JsonValue value);
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// Returns "null", "bool", "number", "string", "array" or "object".
std::string_view ToString(JsonValue::Kind kind);

// Parses one JSON document with nothing after it. Errors name the position: "line 3, column 7:
// ...". Invalid UTF-8 and nesting deeper than kMaxNesting are errors.
Result<JsonValue> ParseJson(std::string_view text);

// Returns `value` as compact JSON.
std::string ToJsonText(const JsonValue& value);

// Returns `value` as YAML in block style with sorted keys, as Kubernetes tools print it.
std::string ToYamlText(const JsonValue& value);

}  // namespace berth::api
