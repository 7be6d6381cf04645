#include "scheduler/plugins/dynamic_resources/deallocation.h"

#include <cstddef>
#include <set>

namespace berth::scheduler::plugins {

framework::Verdict DeallocationPlan::Verdict() const {
  const char* text = !has_claims             ? "no new claims to deallocate"
                     : deallocate != nullptr ? "deallocation of ResourceClaim completed"
                     : remove != nullptr     ? "deletion of ResourceClaim completed"
                                             : "still not schedulable";
  return {framework::Code::kUnschedulable, text};
}

namespace {

// Returns the indices of the claims that kept the pod from some node. Filter may not note them: it
// judges nodes without the pods nominated to them, too, which kube-scheduler does only if the pod
// fits beside those.
std::set<size_t> UnavailableClaims(const framework::Cycle& cycle, const FilterState& state,
                                   const framework::Diagnosis& diagnosis) {
  std::set<size_t> unavailable;
  diagnosis.ForEach([&](model::NodeRow node, const framework::Verdict& verdict) {
    if (unavailable.size() == state.availability.size()) return;
    if (verdict.reasons().size() != 1 || verdict.reasons()[0] != kNotAvailable) return;
    for (const auto& [index, where] : state.availability) {
      if (!where.On(*cycle.nodes().info(node).object)) unavailable.insert(index);
    }
  });
  return unavailable;
}

}  // namespace

DeallocationPlan PlanDeallocation(const framework::Cycle& cycle, const FilterState& state,
                                  const framework::Diagnosis& diagnosis) {
  DeallocationPlan plan;
  const std::vector<PodClaim>& claims = state.pod->claims;
  plan.has_claims = !claims.empty();
  if (!plan.has_claims) return plan;
  // kube-scheduler takes any of them.
  for (size_t index : UnavailableClaims(cycle, state, diagnosis)) {
    const auto& users = claims[index].object->status.reserved_for;
    const bool is_free = users.empty() || (users.size() == 1 && users[0].uid == cycle.pod().uid());
    if (!is_free || claims[index].joined) continue;
    plan.deallocate = claims[index].object;
    return plan;
  }
  if (claims.back().special && claims.back().in_api()) plan.remove = claims.back().object;
  return plan;
}

}  // namespace berth::scheduler::plugins
