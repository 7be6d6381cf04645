// JsonWriter appends JSON to a string: commas and escapes are its business, balance is the
// caller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::api {

// Appends `text` in quotes. Bytes beyond ASCII pass unchanged, so `text` should be UTF-8.
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

  // A place to come back to with Rewind: all that was written since is dropped.
  size_t mark() const { return out_.size(); }
  void Rewind(size_t mark);

  // True right after BeginObject or BeginArray.
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
