#include "runtime/sampling.h"

#include <algorithm>

#include "scheduler/engine/scheduling_cycle.h"

namespace berth::runtime {

size_t SampleSize(size_t nodes, int32_t percentage) {
  constexpr int64_t kLeast = 5;
  if (percentage == 0) {
    const int64_t adaptive = 50 - static_cast<int64_t>(nodes) / 125;
    percentage = static_cast<int32_t>(std::max(adaptive, kLeast));
  }
  return std::min(scheduler::engine::EnoughNodes(nodes, percentage), nodes);
}

bool IsBestOfSomeSample(const scheduler::engine::Explanation& explanation, const std::string& node,
                        int32_t percentage) {
  const auto chosen = explanation.nodes.find(node);
  if (chosen == explanation.nodes.end() || !chosen->second.verdict.ok() ||
      chosen->second.excluded_by_pre_filter) {
    return false;
  }
  size_t candidates = 0, feasible = 0, not_better = 0;
  for (const auto& [name, other] : explanation.nodes) {
    candidates += !other.excluded_by_pre_filter;
    if (other.excluded_by_pre_filter || !other.verdict.ok()) continue;
    ++feasible;
    not_better += other.total <= chosen->second.total;
  }
  const size_t sample = SampleSize(candidates, percentage);
  return feasible > sample && not_better >= sample;
}

}  // namespace berth::runtime
