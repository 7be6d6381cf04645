// Parsing of JSON text into documents: the one caller of Boost.JSON's parser.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "api/json/json.h"
#include "api/json/json_text.h"
#include "base/result.h"

namespace berth::api {

struct ParseOptions {
  size_t max_depth = kMaxNesting;
  boost::json::storage_ptr storage = {};  // Where the document is allocated: the heap by default.
};

// Parses one JSON document with nothing after it. Of repeated keys, the last counts. Errors say
// where: "line 3, column 7: syntax error". Invalid UTF-8 and numbers beyond a double's range are
// errors.
Result<Json> ParseJson(std::string_view text, ParseOptions options = {});

}  // namespace berth::api
