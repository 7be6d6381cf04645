// JsonView is a read-only view of a value in a JSON document of unvalidated shape: a value that is
// missing or of another type reads as empty.
//
// As cheap as a pointer; the document must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json.h"

namespace berth::api {

class JsonView {
 public:
  JsonView() = default;
  explicit JsonView(const Json& value) : value_(&value) {}

  // Returns a member of an object.
  JsonView operator[](std::string_view key) const;

  // Reports whether the value is present and not null.
  explicit operator bool() const;

  std::string_view text() const;                     // Of a string.
  std::string_view text_or(std::string_view) const;  // The argument if the text is empty.
  int64_t number() const;
  int64_t number_or(int64_t) const;
  bool flag() const;
  // Returns a string as it is and a number in digits: quantities and IntOrStrings may be either.
  std::string scalar() const;

  std::vector<JsonView> items() const;                                // Of an array.
  std::vector<std::pair<std::string_view, JsonView>> fields() const;  // Of an object.
  size_t size() const;                                                // Of either.

  const Json* value() const { return value_; }

 private:
  const Json* value_ = nullptr;
};

}  // namespace berth::api
