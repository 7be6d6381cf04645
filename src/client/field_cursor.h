// FieldCursor is a place in a JSON document from outside: it reads values and records which one is
// of the wrong type, with the field and its value.
//
// Absent fields and nulls read as empty; unknown fields are ignored. Only the first problem is
// recorded; the document and the problem must outlive the cursor.
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

  // Whether there is a value other than null.
  bool present() const { return value_ != nullptr; }
  const api::Json* value() const { return value_; }
  const api::FieldPath& path() const { return path_; }

  // Notes that the value is wrong, unless something was before.
  void Refuse(std::string_view why) const;

 private:
  // Whether the value is there and of `kind`; another kind is a problem.
  bool Is(boost::json::kind kind, bool secret = false) const;

  const api::Json* value_;
  api::FieldPath path_;
  std::string* problem_;
};

}  // namespace berth::client
