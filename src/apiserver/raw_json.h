// What can be seen in JSON text without parsing it: slices, as stored objects are sent in whole or
// in part, and what a parser would pass over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::apiserver {

// The text of the value of `key` in the object `json`: `"a"` with its quotes, `{...}`. Empty if
// there is none. Text that is not valid JSON gives some slice of it or nothing.
std::string_view RawMember(std::string_view json, std::string_view key);

// The paths of keys that an object has twice: "spec.containers[0].name". `json` must be valid.
std::vector<std::string> DuplicateKeys(std::string_view json);

}  // namespace berth::apiserver
