#include "scheduler/plugins/dynamic_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "scheduler/framework/attempt.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/framework/post_filter.h"
#include "scheduler/framework/writes.h"
#include "scheduler/model/objects.h"
#include "scheduler/plugins/changed_object.h"

namespace berth::scheduler::plugins {
namespace {

// Returns the name of the claim of `entry`; nothing if it needs none.
Result<std::optional<std::string>> NameOfClaim(const api::Pod& pod,
                                               const api::PodResourceClaim& entry) {
  const std::string& namespace_ = pod.metadata.namespace_;
  const std::string& name = pod.metadata.name;
  if (entry.resource_claim_name) return entry.resource_claim_name;
  if (!entry.resource_claim_template_name) {
    return Fail(fmt::format(
        "pod \"{}/{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
        namespace_, name, entry.name));
  }
  const auto& made = pod.status.resource_claim_statuses;
  const auto found = std::ranges::find(made, entry.name, &api::PodResourceClaimStatus::name);
  if (found == made.end()) {
    return Fail(fmt::format("pod \"{}/{}\": ResourceClaim not created yet", namespace_, name));
  }
  return found->resource_claim_name;
}

bool IsControlledBy(const api::ResourceClaim& claim, const api::Pod& pod) {
  return std::ranges::any_of(claim.metadata.owner_references, [&](const auto& owner) {
    return owner.controller.value_or(false) && owner.uid == pod.metadata.uid;
  });
}

}  // namespace

Result<std::vector<const api::ResourceClaim*>> ClaimsOf(const model::Cluster& cluster,
                                                        const api::Pod& pod) {
  std::vector<const api::ResourceClaim*> claims;
  const std::string& namespace_ = pod.metadata.namespace_;
  for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
    const auto name = NameOfClaim(pod, entry);
    if (!name) return std::unexpected(name.error());
    if (!*name) continue;
    const auto* claim = cluster.objects<api::ResourceClaim>().Find({namespace_, **name});
    if (claim == nullptr) {
      return Fail(fmt::format("could not find ResourceClaim \"{}/{}\"", namespace_, **name));
    }
    if (claim->metadata.deletion_timestamp) {
      return Fail(fmt::format("resourceclaim \"{}\" is being deleted", **name));
    }
    if (!entry.resource_claim_name && !IsControlledBy(*claim, pod)) {
      return Fail(
          fmt::format("ResourceClaim {0}/{1} was not created for Pod {0}/{2} (Pod is not "
                      "owner)",
                      namespace_, **name, pod.metadata.name));
    }
    claims.push_back(claim);
  }
  return claims;
}

namespace {

// Records that PreFilter ran: PostFilter depends on it.
struct Reached final : framework::CycleState {
  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<Reached>();
  }
};

}  // namespace

framework::Verdict DynamicResources::PreEnqueue(const model::Cluster& cluster,
                                                const model::PodRecord& pod) const {
  const auto claims = ClaimsOf(cluster, *pod.object);
  if (claims) return {};
  return {framework::Code::kUnschedulableAndUnresolvable, claims.error().message};
}

framework::PreFilterResult DynamicResources::PreFilter(framework::Cycle& cycle) const {
  cycle.SetState(*this, std::make_unique<Reached>());
  if (cycle.spec().resource_claims.empty()) return {framework::Verdict::Skip(), {}};
  return {{framework::Code::kUnschedulableAndUnresolvable,
           "pod has resource claims, and this version of Berth does not allocate devices"},
          {}};
}

framework::Verdict DynamicResources::Filter(const framework::Cycle&, model::NodeMask&) const {
  return {};
}

framework::Verdict DynamicResources::Explain(const framework::Cycle&, model::NodeRow) const {
  return {};
}

Task<framework::PostFilterResult> DynamicResources::PostFilter(
    framework::FailedCycle& failed) const {
  framework::PostFilterResult result;
  result.verdict =
      failed.attempt.cycle().has_state(*this)
          ? framework::Verdict(framework::Code::kUnschedulable, "no new claims to deallocate")
          : framework::Verdict::Error("not found");
  co_return result;
}

framework::Verdict DynamicResources::Score(const framework::Cycle&, const model::NodeMask& nodes,
                                           std::span<int64_t> out) const {
  nodes.ForEach([&](size_t row) { out[row] = 0; });
  return {};
}

framework::Verdict DynamicResources::Reserve(framework::Cycle&, model::NodeRow) const { return {}; }

void DynamicResources::Unreserve(framework::Cycle&, model::NodeRow) const {}

framework::PreBindPlan DynamicResources::PreBindPreFlight(const framework::Cycle&,
                                                          model::NodeRow) const {
  return {framework::Verdict::Skip(), /*may_run_in_parallel=*/true};
}

Task<framework::Verdict> DynamicResources::PreBind(framework::BindingContext&) const {
  co_return framework::Verdict();
}

std::vector<framework::ClusterEventWithHint> DynamicResources::EventsToRegister() const {
  return {{{framework::Resource::kNode,
            framework::kAdd | framework::kUpdateNodeLabel | framework::kUpdateNodeAllocatable},
           /*conditional=*/false},
          {{framework::Resource::kResourceClaim, framework::kAdd | framework::kUpdate}},
          {{framework::Resource::kPod, framework::kUpdatePodGeneratedResourceClaim}},
          {{framework::Resource::kDeviceClass, framework::kAdd | framework::kUpdate},
           /*conditional=*/false},
          {{framework::Resource::kResourceSlice, framework::kAdd | framework::kUpdate},
           /*conditional=*/false}};
}

Result<bool> DynamicResources::QueueingHint(const model::Cluster& cluster,
                                            const model::PodRecord& pod,
                                            const framework::ClusterEvent& event) const {
  if (KindOf(event) == framework::Resource::kPod) {
    const auto other = UpdateOf<api::Pod>(event);
    if (!other) return std::unexpected(other.error());
    return IsSamePod(pod, *other->after) && ClaimsOf(cluster, *other->after).has_value();
  }
  const auto claim = UpdateOf<api::ResourceClaim>(event);
  if (!claim) return std::unexpected(claim.error());
  const auto claims = ClaimsOf(cluster, *pod.object);
  if (!claims) return false;
  // The pod may wait for devices that were deallocated.
  const auto* before = claim->before;
  if (before != nullptr && before->status.allocation && !claim->after->status.allocation) {
    return true;
  }
  const bool uses = std::ranges::any_of(*claims, [&](const api::ResourceClaim* own) {
    return own->metadata.uid == claim->after->metadata.uid;
  });
  return uses && (before == nullptr || before->status != claim->after->status);
}

}  // namespace berth::scheduler::plugins
