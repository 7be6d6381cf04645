// Arbitrary text as a label or field selector. One that parses can be matched.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/scheme/scheme.h"
#include "apiserver/selectors.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  berth::apiserver::store::Object object;
  object.key = {"default", "web-1"};
  object.labels = {{"app", "web"}, {"size", "7"}};
  object.fields = {"n1", "Always"};
  const auto& pods = berth::api::scheme::KindOf("pods");
  const auto by_labels = berth::apiserver::ObjectSelector::Make(pods, text, "");
  if (by_labels) by_labels->Matches(object);
  if (!by_labels) CHECK(!by_labels.error().message.empty());
  const auto by_fields = berth::apiserver::ObjectSelector::Make(pods, "", text);
  if (by_fields) by_fields->Matches(object);
  if (!by_fields) CHECK(!by_fields.error().message.empty());
  return 0;
}
