#include "plugins/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace berth {
namespace {

// The name of the claim that `entry` stands for; none if it needs none.
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

Result<std::vector<const api::ResourceClaim*>> ClaimsOf(const Cluster& cluster,
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

}  // namespace berth
