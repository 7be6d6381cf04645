// Conformance case files: one JSON object per line, plain or gzipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/view.h"
#include "base/result.h"

namespace berth::cmd {

class CaseFile {
 public:
  struct Row {
    size_t line;  // Counted from 1.
    std::string_view text;
  };

  // Reads the whole file, gzipped or plain. The error names the file.
  static Result<CaseFile> Read(const std::string& path);

  // Returns the lines that are not blank, as views into this object.
  std::vector<Row> rows() const;

 private:
  std::string text_;
};

// JsonFields reads fields of JSON documents by name and stores the first error, so that a caller
// checks once, at the end.
//
// An absent or null field reads as the empty value. Documents must outlive the values read.
class JsonFields {
 public:
  using Value = api::JsonView;

  std::optional<Value> Find(Value object, std::string_view key);
  // Adds an error if the field is absent.
  Value Require(Value object, std::string_view key);

  std::string String(Value object, std::string_view key);
  std::optional<std::string> OptionalString(Value object, std::string_view key);
  int64_t Int(Value object, std::string_view key);
  bool Bool(Value object, std::string_view key);
  std::vector<std::string> Strings(Value object, std::string_view key);
  std::map<std::string, int64_t> Ints(Value object, std::string_view key);
  // Returns the elements of a list.
  std::vector<Value> List(Value object, std::string_view key);
  // Returns the fields of an object, by name.
  std::map<std::string, Value> Fields(Value object, std::string_view key);

  // Stores the error unless there is one already.
  void AddError(std::string_view key, std::string_view what);
  // Returns the first error.
  Status status() const;

 private:
  std::string StringOf(Value value, std::string_view key);
  int64_t IntOf(Value value, std::string_view key);

  std::optional<Error> error_;
};

// Returns the JSON text of `value`.
std::string JsonText(JsonFields::Value value);

}  // namespace berth::cmd
