// Arbitrary text as a URL. One that parses equals the URL parsed from its text.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto url = berth::net::ParseUrl(text);
  if (!url) {
    CHECK(!url.error().message.empty());
    return 0;
  }
  const auto again = berth::net::ParseUrl(url->ToString());
  CHECK(again.has_value() && *again == *url);
  return 0;
}
