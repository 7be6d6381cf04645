// Compares JSON values, and says where they differ.
#pragma once

#include <string_view>

#include "cmd/comparison.h"
#include "config/json_value.h"

namespace berth {

// Adds a difference for each place, named by its path below `path`, at which the two differ. The
// order of an object's fields does not matter; numbers are compared by their text.
void CompareJson(std::string_view path, const config::JsonValue& expected,
                 const config::JsonValue& came, Differences& differences);

}  // namespace berth
