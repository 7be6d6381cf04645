// DecodeJson for a document that is part of a larger text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace berth::api {

// As DecodeJson; line numbers in errors begin at `first_line`.
Result<std::vector<Object>> DecodeDocument(std::string_view json, size_t first_line);

}  // namespace berth::api
