// Arbitrary responses of an extender. A filter response that decodes has only nodes of the request.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "scheduler/engine/extender_protocol.h"
#include "scheduler/engine/extenders.h"
#include "scheduler/model/cluster.h"

namespace {

bool WasSent(std::string_view node) { return node == "a" || node == "b"; }

void CheckFilter(const berth::scheduler::framework::ExtenderConfig& extender,
                 std::string_view json) {
  const auto result = berth::scheduler::engine::DecodeExtenderFilterResult(extender, json, WasSent);
  if (!result) return;
  for (const std::string& node : result->nodes) CHECK(WasSent(node));
  for (const auto& [node, reason] : result->failed) {
    CHECK(!result->failed_and_unresolvable.contains(node));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  berth::scheduler::framework::ExtenderConfig extender;
  CheckFilter(extender, text);
  extender.node_cache_capable = true;
  CheckFilter(extender, text);
  (void)berth::scheduler::engine::DecodeHostPriorityList(extender, text);
  (void)berth::scheduler::engine::DecodeExtenderBindingResult(extender, text);
  if (const auto victims =
          berth::scheduler::engine::DecodeExtenderPreemptionResult(extender, text)) {
    const auto found = berth::scheduler::engine::FindVictims(extender, *victims,
                                                             berth::scheduler::model::Cluster());
    CHECK(found.has_value() == victims->empty());
  }
  return 0;
}
