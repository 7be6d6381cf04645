// Query is the decoded query of a request: names and values, in the order given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinds/api_error.h"

namespace berth::apiserver {

// `text` with %XX decoded; nothing if an escape is malformed or the result is not UTF-8. In a
// query,
// '+' is a space.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

// What came in is echoed in messages, which must be UTF-8.
bool IsUtf8(std::string_view text);

class Query {
 public:
  Query() = default;
  // What follows the '?'. A malformed escape is BadRequest.
  static ApiResult<Query> Parse(std::string_view text);

  // The first value of `name`; nothing if it is not given.
  std::optional<std::string_view> Find(std::string_view name) const;
  // The same, empty if it is not given.
  std::string_view Get(std::string_view name) const { return Find(name).value_or(""); }
  // Every value of `name`.
  std::vector<std::string_view> All(std::string_view name) const;

  // As Kubernetes reads it: not given, "0" and "false" in any case are false, all else is true.
  bool Bool(std::string_view name) const;
  // Nothing if it is not given or empty; BadRequest if it is not a whole number.
  ApiResult<std::optional<int64_t>> Int(std::string_view name) const;

  void Add(std::string name, std::string value);

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace berth::apiserver
