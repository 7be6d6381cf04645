// A document and a patch of any type may be anything: up to the first line break stands the
// document, then the patch. To apply a merge patch twice is to apply it once.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "apiserver/patches.h"
#include "base/check.h"

using berth::apiserver::Json;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  boost::json::error_code error;
  const Json document = boost::json::parse(text.substr(0, end), error);
  if (error) return 0;
  const Json patch = boost::json::parse(text.substr(end + 1), error);
  if (error) return 0;

  if (const auto patched = berth::apiserver::ApplyJsonPatch(document, patch); !patched) {
    CHECK(patched.error().code >= 400 && !patched.error().message.empty());
  }
  const Json merged = berth::apiserver::ApplyMergePatch(document, patch);
  CHECK(berth::apiserver::ApplyMergePatch(merged, patch) == merged);
  if (const auto patched = berth::apiserver::ApplyStrategicPatch(document, patch); !patched) {
    CHECK(patched.error().code == 400 && !patched.error().message.empty());
  }
  return 0;
}
