// Pieces of JSON text: numbers, slices, duplicate keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

// The deepest nesting of objects and lists that is read, in JSON and in YAML.
inline constexpr size_t kMaxNesting = 200;

// True if `text` is a number as JSON writes them, and nothing else.
bool IsJsonNumber(std::string_view text);

struct JsonInteger {
  int64_t value = 0;
  bool overflow = false;  // The number is whole but does not fit; `value` is meaningless.
};

// The whole number that `text`, a JSON number, stands for; nullopt if it is not whole. 1e3 and 2.0
// are whole: that is how YAML's floats arrive.
std::optional<JsonInteger> ParseJsonInteger(std::string_view text);

bool IsUtf8(std::string_view text);

// Returns the text of the value of `key` in the object `json`, without parsing it: `"a"` with its
// quotes, `{...}`. Empty if there is none. Text that is not valid JSON gives some slice of it or
// nothing.
std::string_view RawMember(std::string_view json, std::string_view key);

// Returns the paths of keys that an object has twice: "spec.containers[0].name". `json` must be
// valid.
std::vector<std::string> DuplicateKeys(std::string_view json);

}  // namespace berth::api
