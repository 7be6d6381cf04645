#include "plugins/dynamic_resources.h"

#include "framework/failed_cycle.h"

namespace berth {
namespace {

// Notes that PreFilter came this far: PostFilter has nothing to go by otherwise.
struct Reached final : CycleState {
  std::unique_ptr<CycleState> Clone() const override { return std::make_unique<Reached>(); }
};

Verdict JudgeClaims(const api::PodSpec& spec) {
  if (spec.resource_claims.empty()) return {};
  return {Code::kUnschedulableAndUnresolvable,
          "pod has resource claims, and this build of Berth does not allocate dynamic resources"};
}

}  // namespace

Verdict DynamicResources::PreEnqueue(const Cluster&, const PodRecord& pod) const {
  return JudgeClaims(pod.object->spec);
}

PreFilterResult DynamicResources::PreFilter(Cycle& cycle) const {
  cycle.SetState(*this, std::make_unique<Reached>());
  Verdict verdict = JudgeClaims(cycle.spec());
  return {verdict.ok() ? Verdict::Skip() : std::move(verdict), {}};
}

Verdict DynamicResources::Filter(const Cycle&, NodeMask&) const { return {}; }

Verdict DynamicResources::Explain(const Cycle&, NodeRow) const { return {}; }

PostFilterResult DynamicResources::PostFilter(FailedCycle& failed) const {
  if (!failed.attempt.cycle().has_state(*this)) return {Verdict::Error("not found"), {}, {}};
  return {Verdict(Code::kUnschedulable, "no new claims to deallocate"), {}, {}};
}

Verdict DynamicResources::Score(const Cycle&, const NodeMask& nodes, std::span<int64_t> out) const {
  nodes.ForEach([&](size_t row) { out[row] = 0; });
  return {};
}

Verdict DynamicResources::Reserve(Cycle&, NodeRow) const { return {}; }

void DynamicResources::Unreserve(Cycle&, NodeRow) const {}

PreBindPlan DynamicResources::PreBindPreFlight(const Cycle&, NodeRow) const {
  return {Verdict::Skip(), /*may_run_in_parallel=*/true};
}

Task<Verdict> DynamicResources::PreBind(BindingContext&) const { co_return Verdict(); }

}  // namespace berth
