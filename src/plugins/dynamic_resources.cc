#include "plugins/dynamic_resources.h"

#include <algorithm>

#include "framework/failed_cycle.h"
#include "plugins/hints.h"
#include "plugins/pod_claims.h"

namespace berth {
namespace {

// Notes that PreFilter came this far: PostFilter has nothing to go by otherwise.
struct Reached final : CycleState {
  std::unique_ptr<CycleState> Clone() const override { return std::make_unique<Reached>(); }
};

Verdict JudgeClaims(const Cluster& cluster, const api::Pod& pod) {
  if (pod.spec.resource_claims.empty()) return {};
  if (const auto claims = ClaimsOf(cluster, pod); !claims) {
    return {Code::kUnschedulableAndUnresolvable, claims.error().message};
  }
  return {Code::kUnschedulableAndUnresolvable,
          "pod has resource claims, and this build of Berth does not allocate dynamic resources"};
}

}  // namespace

Verdict DynamicResources::PreEnqueue(const Cluster& cluster, const PodRecord& pod) const {
  return JudgeClaims(cluster, *pod.object);
}

PreFilterResult DynamicResources::PreFilter(Cycle& cycle) const {
  cycle.SetState(*this, std::make_unique<Reached>());
  Verdict verdict = JudgeClaims(cycle.cluster(), *cycle.pod().object);
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

Result<bool> DynamicResources::MayHelp(const Cluster& cluster, const PodRecord& pod,
                                       const ClusterEvent& event) const {
  if (KindOf(event) == Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    return IsSamePod(pod, *other->after) && ClaimsOf(cluster, *other->after).has_value();
  }
  const auto claim = UpdateOf<api::ResourceClaim>(event);
  if (!claim) return std::unexpected(claim.error());
  const auto claims = ClaimsOf(cluster, *pod.object);
  if (!claims) return false;
  // Devices that were given back may be what the pod waits for.
  const auto* before = claim->before;
  if (before != nullptr && before->status.allocation && !claim->after->status.allocation) {
    return true;
  }
  const bool uses = std::ranges::any_of(*claims, [&](const api::ResourceClaim* own) {
    return own->metadata.uid == claim->after->metadata.uid;
  });
  return uses && (before == nullptr || before->status != claim->after->status);
}

}  // namespace berth
