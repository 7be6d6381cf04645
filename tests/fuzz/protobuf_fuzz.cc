// Arbitrary bytes as a protobuf body, with and without the magic number. A body that decodes is an
// object whose JSON text parses to an equal one. Devices, whose fields are of many types, are also
// decoded directly; the text of a claim is JSON, whatever it lacks.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/json/parse.h"
#include "api/protobuf/decode_object.h"
#include "api/protobuf/to_json.h"
#include "api/undecodable_fields.h"
#include "base/check.h"

namespace {

void DecodeDevices(const std::string& bytes) {
  berth::api::UndecodableFields undecodable;
  const auto claim = berth::api::protobuf::DecodeAs<berth::api::ResourceClaim>(bytes, &undecodable);
  if (claim) CHECK(berth::api::ParseJson(*(*claim)->text.json).has_value());
  (void)berth::api::protobuf::DecodeAs<berth::api::ResourceSlice>(bytes, &undecodable);
  (void)berth::api::protobuf::DecodeAs<berth::api::DeviceClass>(bytes, &undecodable);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  DecodeDevices(bytes);
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
