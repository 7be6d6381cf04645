// Reads case files: one JSON object per line, plain or gzipped.
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

  // Reads the whole file into memory; a file that is not gzipped is taken as it is. The error names
  // the file.
  static Result<CaseFile> Read(const std::string& path);

  // The lines that are not blank. They live as long as the file.
  std::vector<Row> rows() const;

 private:
  std::string text_;
};

// JsonFields reads fields of JSON documents by name, and records the first one of the wrong type,
// so that a reader of many fields checks once, at the end.
//
// A field that is absent or null gives the empty value. Documents must outlive the values read.
class JsonFields {
 public:
  using Value = api::JsonView;

  std::optional<Value> Find(Value object, std::string_view key);
  // Notes an error if there is no such field.
  Value Require(Value object, std::string_view key);

  std::string String(Value object, std::string_view key);
  std::optional<std::string> OptionalString(Value object, std::string_view key);
  int64_t Int(Value object, std::string_view key);
  bool Bool(Value object, std::string_view key);
  std::vector<std::string> Strings(Value object, std::string_view key);
  std::map<std::string, int64_t> Ints(Value object, std::string_view key);
  // The elements of a list.
  std::vector<Value> List(Value object, std::string_view key);
  // The fields of an object, by name.
  std::map<std::string, Value> Fields(Value object, std::string_view key);

  // Notes that `key` is wrong, unless something was wrong before.
  void AddError(std::string_view key, std::string_view what);
  // What is wrong, if anything.
  Status status() const;

 private:
  std::string StringOf(Value value, std::string_view key);
  int64_t IntOf(Value value, std::string_view key);

  std::optional<Error> error_;
};

// The JSON text of `value`.
std::string JsonText(JsonFields::Value value);

}  // namespace berth::cmd
