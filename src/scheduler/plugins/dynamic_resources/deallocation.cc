#include "scheduler/plugins/dynamic_resources/deallocation.h"

#include <algorithm>

namespace berth::scheduler::plugins {

framework::Verdict DeallocationPlan::Verdict() const {
  const char* text = !has_claims             ? "no new claims to deallocate"
                     : deallocate != nullptr ? "deallocation of ResourceClaim completed"
                     : remove != nullptr     ? "deletion of ResourceClaim completed"
                                             : "still not schedulable";
  return {framework::Code::kUnschedulable, text};
}

DeallocationPlan PlanDeallocation(const framework::Cycle& cycle, const FilterState& state) {
  DeallocationPlan plan;
  const std::vector<PodClaim>& claims = state.pod->claims;
  plan.has_claims = !claims.empty();
  // kube-scheduler takes any of them.
  for (size_t index : state.unavailable == nullptr ? std::set<size_t>() : *state.unavailable) {
    const auto& users = claims[index].object->status.reserved_for;
    const bool is_free = users.empty() || (users.size() == 1 && users[0].uid == cycle.pod().uid());
    if (!is_free || claims[index].joined) continue;
    plan.deallocate = claims[index].object;
    return plan;
  }
  if (plan.has_claims && claims.back().special && claims.back().in_api())
    plan.remove = claims.back().object;
  return plan;
}

}  // namespace berth::scheduler::plugins
