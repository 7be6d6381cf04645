// JsonValue is a JSON document as a tree that hides nothing: members keep their order, repeated
// keys are all there, and numbers keep their text. Strict decoding needs to see these.
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
  // The last member of that name, or nullptr; an object's only.
  const JsonValue* Find(std::string_view name) const;
  void Add(std::string_view name, JsonValue value);
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// "null", "bool", "number", "string", "array" or "object".
std::string_view ToString(JsonValue::Kind kind);

// Reads one JSON document and nothing after it. Errors say where: "line 3, column 7: ...". Invalid
// UTF-8 and nesting deeper than 200 are errors.
Result<JsonValue> ParseJson(std::string_view text);

// `value` as compact JSON.
std::string ToJsonText(const JsonValue& value);

// `value` as YAML in block style, keys sorted, as Kubernetes tools print it.
std::string ToYamlText(const JsonValue& value);

}  // namespace berth::api
