// An extender may answer anything. What decodes as the answer to a filter call names nodes that
// were sent.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "framework/extender_answer.h"

namespace {

bool WasSent(std::string_view node) { return node == "a" || node == "b"; }

void CheckFilter(const berth::ExtenderConfig& extender, std::string_view json) {
  const auto answer = berth::DecodeFilterAnswer(extender, json, WasSent);
  if (!answer) return;
  for (const std::string& node : answer->nodes) CHECK(WasSent(node));
  for (const auto& [node, reason] : answer->failed) {
    CHECK(!answer->failed_and_unresolvable.contains(node));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  berth::ExtenderConfig extender;
  CheckFilter(extender, text);
  extender.node_cache_capable = true;
  CheckFilter(extender, text);
  (void)berth::DecodePrioritizeAnswer(extender, text);
  (void)berth::DecodeBindAnswer(extender, text);
  if (const auto victims = berth::DecodePreemptAnswer(extender, text)) {
    const auto found = berth::FindVictims(extender, *victims, berth::Cluster());
    CHECK(found.has_value() == victims->empty());
  }
  return 0;
}
