#include "plugins/dynamic_resources.h"

#include <fmt/format.h>

#include "framework/failed_cycle.h"
#include "plugins/hints.h"

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

Task<PostFilterResult> DynamicResources::PostFilter(FailedCycle& failed) const {
  PostFilterResult result;
  result.verdict = failed.attempt.cycle().has_state(*this)
                       ? Verdict(Code::kUnschedulable, "no new claims to deallocate")
                       : Verdict::Error("not found");
  co_return result;
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

std::vector<Interest> DynamicResources::Interests() const {
  return {{{Resource::kNode, kAdd | kUpdateNodeLabel | kUpdateNodeAllocatable},
           /*conditional=*/false},
          {{Resource::kResourceClaim, kAdd | kUpdate}},
          {{Resource::kPod, kUpdatePodGeneratedResourceClaim}},
          {{Resource::kDeviceClass, kAdd | kUpdate}, /*conditional=*/false},
          {{Resource::kResourceSlice, kAdd | kUpdate}, /*conditional=*/false}};
}

Result<bool> DynamicResources::MayHelp(const Cluster&, const PodRecord& pod,
                                       const ClusterEvent& event) const {
  if (KindOf(event) == Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    return IsSamePod(pod, *other->after) && JudgeClaims(other->after->spec).ok();
  }
  // A pod that may not be queued stays out. To any other pod a new claim means nothing, while one
  // that lost its devices may have left some for it.
  if (!JudgeClaims(pod.object->spec).ok() || event.type.actions == kAdd) return false;
  return Fail(
      fmt::format("{}: Berth does not read resource claims, and cannot tell whether one "
                  "lost its devices",
                  event.Label()));
}

}  // namespace berth
