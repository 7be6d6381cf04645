// Slices of JSON text, found without parsing it: stored objects are sent as they are, in whole or
// in part.
#pragma once

#include <string_view>

namespace berth::apiserver {

// The text of the value of `key` in the object `json`: `"a"` with its quotes, `{...}`. Empty if
// there is none. Text that is not valid JSON gives some slice of it or nothing.
std::string_view RawMember(std::string_view json, std::string_view key);

}  // namespace berth::apiserver
