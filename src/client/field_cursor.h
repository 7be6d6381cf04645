// FieldCursor is a place in a JSON document from outside: it reads what is there, and notes what is
// of the wrong type, with the field and its value.
//
// Absent fields and nulls read as empty; fields that nobody asks for do not matter. The first
// problem is kept; the document and the problem must outlive the cursor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/field_errors.h"
#include "api/json/json_value.h"

namespace berth::client {

class FieldCursor {
 public:
  FieldCursor(const api::JsonValue* value, api::FieldPath path, std::string& problem)
      : value_(value), path_(std::move(path)), problem_(&problem) {}

  // The field of an object.
  FieldCursor operator[](std::string_view name) const;
  // Of an array.
  std::vector<FieldCursor> Items() const;
  // Of an object, in their order.
  std::vector<std::pair<std::string, FieldCursor>> Members() const;

  std::string Text() const;
  // Text that no message may show.
  std::string Secret() const;
  std::string Bytes() const;  // Base64; a secret, too.
  bool Flag() const;
  std::vector<std::string> Texts() const;

  // Something is there, and it is not null.
  bool present() const { return value_ != nullptr; }
  const api::JsonValue* value() const { return value_; }
  const api::FieldPath& path() const { return path_; }

  // Notes that the value is wrong, unless something was before.
  void Refuse(std::string_view why) const;

 private:
  // Whether the value is there and of `kind`; another kind is a problem.
  bool Is(api::JsonValue::Kind kind, bool secret = false) const;

  const api::JsonValue* value_;
  api::FieldPath path_;
  std::string* problem_;
};

}  // namespace berth::client
