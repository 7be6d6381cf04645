#include "scheduler/reference/devices/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace berth::scheduler::reference {
namespace {

bool IsOwner(const api::Pod& pod, const api::ResourceClaim& claim) {
  return std::ranges::any_of(claim.metadata.owner_references, [&](const auto& owner) {
    return owner.controller.value_or(false) && owner.uid == pod.metadata.uid;
  });
}

// Returns the name of the claim that was created for the entry; nullopt if none is needed.
Result<std::optional<std::string>> GeneratedName(const api::Pod& pod, const std::string& entry) {
  const auto& statuses = pod.status.resource_claim_statuses;
  const auto found = std::ranges::find(statuses, entry, &api::PodResourceClaimStatus::name);
  if (found != statuses.end()) return found->resource_claim_name;
  return Fail(fmt::format("pod \"{}/{}\": ResourceClaim not created yet", pod.metadata.namespace_,
                          pod.metadata.name));
}

Result<const api::ResourceClaim*> FindClaim(const Snapshot& snapshot, const api::Pod& pod,
                                            const std::string& name, bool must_own) {
  const api::ObjectKey key{pod.metadata.namespace_, name};
  const api::ResourceClaim* claim = Find(snapshot.resource_claims, pod.metadata.namespace_, name);
  if (claim == nullptr)
    return Fail(fmt::format("could not find ResourceClaim \"{}\"", key.ToString()));
  if (claim->metadata.deletion_timestamp)
    return Fail(fmt::format("resourceclaim \"{}\" is being deleted", name));
  if (must_own && !IsOwner(pod, *claim)) {
    return Fail(fmt::format("ResourceClaim {} was not created for Pod {}/{} (Pod is not owner)",
                            key.ToString(), pod.metadata.namespace_, pod.metadata.name));
  }
  return claim;
}

enum class Readiness : uint8_t { kReady, kNotReady, kFailed };

bool IsTrue(const api::AllocatedDeviceStatus& status, const std::string& condition) {
  const auto found = std::ranges::find(status.conditions, condition, &api::DeviceCondition::type);
  return found != status.conditions.end() && found->status == "True";
}

// The first device that is not ready decides.
Readiness ReadinessOf(const api::ResourceClaim& claim) {
  for (const api::DeviceRequestAllocationResult& result : claim.status.allocation->results) {
    if (result.binding_conditions.empty()) continue;
    const auto status = std::ranges::find_if(claim.status.devices, [&](const auto& device) {
      return device.driver == result.driver && device.pool == result.pool &&
             device.device == result.device;
    });
    if (status == claim.status.devices.end()) return Readiness::kNotReady;
    const auto is_true = [&](const std::string& condition) { return IsTrue(*status, condition); };
    if (std::ranges::any_of(result.binding_failure_conditions, is_true)) return Readiness::kFailed;
    if (!std::ranges::all_of(result.binding_conditions, is_true)) return Readiness::kNotReady;
  }
  return Readiness::kReady;
}

}  // namespace

Result<std::vector<const api::ResourceClaim*>> ClaimsOf(const Snapshot& snapshot,
                                                        const api::Pod& pod) {
  std::vector<const api::ResourceClaim*> claims;
  for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
    std::optional<std::string> name = entry.resource_claim_name;
    const bool generated = !name && entry.resource_claim_template_name;
    if (generated) {
      auto generated_name = GeneratedName(pod, entry.name);
      if (!generated_name) return std::unexpected(generated_name.error());
      if (!*generated_name) continue;
      name = **generated_name;
    }
    if (!name) {
      return Fail(fmt::format(
          "pod \"{}/{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
          pod.metadata.namespace_, pod.metadata.name, entry.name));
    }
    const auto claim = FindClaim(snapshot, pod, *name, generated);
    if (!claim) return std::unexpected(claim.error());
    claims.push_back(*claim);
  }
  return claims;
}

bool HasFailedToBind(const api::ResourceClaim& claim, Duration binding_timeout, Instant now) {
  const Readiness readiness = ReadinessOf(claim);
  if (readiness != Readiness::kNotReady) return readiness == Readiness::kFailed;
  // A device that is not ready has binding conditions, so that the timeout applies.
  const auto& since = claim.status.allocation->allocation_timestamp;
  return since && *since + binding_timeout < now;
}

}  // namespace berth::scheduler::reference
