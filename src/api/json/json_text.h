// Functions on JSON text that need no document: numbers, member slices, duplicate keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

// The maximum nesting of objects and lists, in JSON and in YAML.
inline constexpr size_t kMaxNesting = 200;

// Reports whether `text` is exactly one JSON number.
bool IsJsonNumber(std::string_view text);

struct JsonInteger {
  int64_t value = 0;
  bool overflow = false;  // The integer does not fit; `value` is meaningless.
};

// Parses `text`, a JSON number; returns nullopt if it is not an integer. 1e3 and 2.0 are integers:
// YAML's floats arrive in this form.
std::optional<JsonInteger> ParseJsonInteger(std::string_view text);

bool IsUtf8(std::string_view text);
// Returns `text` with U+FFFD for each byte that is not part of valid UTF-8, as Go writes strings to
// JSON.
std::string ReplaceInvalidUtf8(std::string_view text);

// Returns the text of the value of `key` in the object `json`: `"a"` with its quotes, `{...}`;
// empty if there is none. For invalid JSON the result is an arbitrary slice.
std::string_view RawMember(std::string_view json, std::string_view key);

// Returns the object `json` without its members named `keys`; text that is not an object unchanged.
// For other invalid JSON the result is arbitrary.
std::string WithoutMembers(std::string_view json, std::span<const std::string_view> keys);

// Returns `json`, which must be valid, without white space between its tokens.
std::string CompactJson(std::string_view json);

// Returns the paths of keys that occur twice in an object: "spec.containers[0].name". At most
// kMaxReportedErrors, each shortened to kMaxQuotedBytes (api/field_errors.h). `json` must be valid.
std::vector<std::string> DuplicateKeys(std::string_view json);

}  // namespace berth::api
