// Arbitrary bytes as a protobuf body, with and without the magic number. A body that decodes is an
// object whose JSON text parses to an equal one.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/protobuf/to_json.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& body : {bytes, std::string("k8s\0", 4) + bytes}) {
    const auto object = berth::api::protobuf::DecodeToJson(body);
    if (!object) {
      CHECK(!object.error().empty());
      continue;
    }
    boost::json::error_code error;
    boost::json::parse_options options;
    options.max_depth = 256;
    const auto again = boost::json::parse(boost::json::serialize(*object), error, {}, options);
    CHECK(!error);
    CHECK(again == *object);
  }
  return 0;
}
