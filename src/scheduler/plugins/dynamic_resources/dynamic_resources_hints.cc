// The events that may make a pod schedulable which DynamicResources rejected.

#include <algorithm>

#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/dynamic_resources/dynamic_resources.h"
#include "scheduler/plugins/dynamic_resources/pod_claims.h"

namespace berth::scheduler::plugins {
namespace {

// Reports whether the pod has a claim of that name. Most events are about claims of other pods:
// this is all that they cost.
bool NamesClaim(const api::Pod& pod, const api::ResourceClaim& claim) {
  const std::string& name = claim.metadata.name;
  return pod.metadata.namespace_ == claim.metadata.namespace_ &&
         (std::ranges::any_of(pod.spec.resource_claims,
                              [&](const auto& own) { return own.resource_claim_name == name; }) ||
          std::ranges::any_of(pod.status.resource_claim_statuses,
                              [&](const auto& own) { return own.resource_claim_name == name; }));
}

}  // namespace

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
  // The pod may wait for devices that were deallocated.
  const auto* before = claim->before;
  const bool frees_devices =
      before != nullptr && before->status.allocation && !claim->after->status.allocation;
  if (!frees_devices && !NamesClaim(*pod.object, *claim->after)) return false;
  const auto claims = ClaimsOf(cluster, *pod.object);
  if (!claims || frees_devices) return claims.has_value();
  const bool uses = std::ranges::any_of(*claims, [&](const model::ClaimRef& own) {
    return own->metadata.uid == claim->after->metadata.uid;
  });
  return uses && (before == nullptr || before->status != claim->after->status);
}

}  // namespace berth::scheduler::plugins
