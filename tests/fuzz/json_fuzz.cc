// Arbitrary bytes as objects. The JSON of an object that decodes decodes to an equal one.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "api/json/decode.h"
#include "api/json/encode.h"
#include "api/json/yaml.h"
#include "base/check.h"

namespace {

using berth::api::Object;

bool Equal(const Object& a, const Object& b) {
  return std::visit(
      [&](const auto& ref) {
        const auto* other = std::get_if<std::remove_cvref_t<decltype(ref)>>(&b);
        return other != nullptr && *ref == **other;
      },
      a);
}

void CheckRoundTrip(const Object& object) {
  const auto again = berth::api::DecodeJson(berth::api::EncodeJson(object));
  CHECK(again.has_value());
  CHECK(again->size() == 1);
  CHECK(Equal(object, again->front()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& objects :
       {berth::api::DecodeJson(text), berth::api::DecodeObjects(text, "file")}) {
    if (!objects) {
      CHECK(!objects.error().message.empty());
      continue;
    }
    for (const Object& object : *objects) CheckRoundTrip(object);
  }
  return 0;
}
