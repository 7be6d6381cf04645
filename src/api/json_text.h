// Pieces of JSON text: numbers, and what error messages show of a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::api {

// The deepest nesting of objects and lists that is read, in JSON and in YAML.
inline constexpr size_t kMaxNesting = 200;

// `text` fit for an error message: without control characters, and cut after about `limit` bytes.
std::string Shorten(std::string_view text, size_t limit = 60);

// True if `text` is a number as JSON writes them, and nothing else.
bool IsJsonNumber(std::string_view text);

struct JsonInteger {
  int64_t value = 0;
  bool overflow = false;  // The number is whole but does not fit; `value` is meaningless.
};

// The whole number that `text`, a JSON number, stands for; nullopt if it is not whole. 1e3 and 2.0
// are whole: that is how YAML's floats arrive.
std::optional<JsonInteger> ParseJsonInteger(std::string_view text);

}  // namespace berth::api
