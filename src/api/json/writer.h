// Writing of JSON: documents as a whole, and JsonWriter for text that is written piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "api/json/json.h"

namespace berth::api {

// Appends `text` in quotes. Copies bytes beyond ASCII unchanged, so `text` should be UTF-8.
void AppendJsonString(std::string& out, std::string_view text);
std::string JsonQuoted(std::string_view text);

// Appends `value` as compact JSON, numbers as Go writes them. Returns false if it is nested deeper
// than `depth` levels; `out` is then incomplete.
bool AppendJson(std::string& out, const Json& value,
                size_t depth = std::numeric_limits<size_t>::max());

std::string ToJsonText(const Json& value);
std::string ToJsonText(const JsonObject& object);

// Returns compact JSON with the members of objects sorted by key: equal documents have equal texts.
std::string ToCanonicalJson(const Json& value);

// Formats `value` with two spaces per level and each element on its own line.
std::string ToPrettyJson(const Json& value);

// JsonWriter writes JSON to a string. It adds commas and escapes; the caller balances the brackets.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }

  // Starts a field; its value must follow.
  void Key(std::string_view key);

  void String(std::string_view text);
  void Int(int64_t number);
  void Bool(bool value) { Literal(value ? "true" : "false"); }
  void Null() { Literal("null"); }
  // Writes a value that is JSON already.
  void Raw(std::string_view json) { Literal(json); }

  // Returns a position for Rewind, which drops everything written since.
  size_t mark() const { return out_.size(); }
  void Rewind(size_t mark);

  // Reports whether nothing was written since BeginObject or BeginArray.
  bool at_start() const;

  std::string Take() { return std::move(out_); }

 private:
  void Comma();
  void Open(char bracket);
  void Close(char bracket);
  void Literal(std::string_view text);

  std::string out_;
};

}  // namespace berth::api
