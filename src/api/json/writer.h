// JsonWriter writes JSON to a string. It adds commas and escapes; the caller balances the brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::api {

// Appends `text` in quotes. Copies bytes beyond ASCII unchanged, so `text` should be UTF-8.
void AppendJsonString(std::string& out, std::string_view text);

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
