// FieldCursor is a position in an external JSON document: it reads values and records the first one
// of the wrong type, with its field and value.
//
// Absent fields and nulls read as empty; unknown fields are ignored. The document and the problem
// must outlive the cursor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/field_errors.h"
#include "api/json/document.h"

namespace berth::client {

class FieldCursor {
 public:
  FieldCursor(const api::Json* value, api::FieldPath path, std::string& problem)
      : value_(value), path_(std::move(path)), problem_(&problem) {}

  // Returns the field of an object.
  FieldCursor operator[](std::string_view name) const;
  // Returns the items of an array.
  std::vector<FieldCursor> Items() const;
  // Returns the members of an object, in order.
  std::vector<std::pair<std::string, FieldCursor>> Members() const;

  std::string Text() const;
  // Returns a text that messages must not contain.
  std::string Secret() const;
  std::string Bytes() const;  // Decodes base64; a secret, too.
  bool Flag() const;
  std::vector<std::string> Texts() const;

  // Reports whether there is a value other than null.
  bool present() const { return value_ != nullptr; }
  const api::Json* value() const { return value_; }
  const api::FieldPath& path() const { return path_; }

  // Records that the value is invalid, unless a problem is already recorded.
  void Refuse(std::string_view why) const;

 private:
  // Reports whether the value is present and of `kind`; another kind is a problem.
  bool Is(boost::json::kind kind, bool secret = false) const;

  const api::Json* value_;
  api::FieldPath path_;
  std::string* problem_;
};

}  // namespace berth::client
