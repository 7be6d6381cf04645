#include "scheduler/plugins/dynamic_resources/pod_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "scheduler/model/device_model.h"

namespace berth::scheduler::plugins {
namespace {

// Returns the name of the claim of `entry`; null if it needs none.
Result<const std::string*> NameOfClaim(const api::Pod& pod, const api::PodResourceClaim& entry) {
  const std::string& namespace_ = pod.metadata.namespace_;
  const std::string& name = pod.metadata.name;
  if (entry.resource_claim_name) return &*entry.resource_claim_name;
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
  return found->resource_claim_name ? &*found->resource_claim_name : nullptr;
}

bool IsControlledBy(const api::ResourceClaim& claim, const api::Pod& pod) {
  return std::ranges::any_of(claim.metadata.owner_references, [&](const auto& owner) {
    return owner.controller.value_or(false) && owner.uid == pod.metadata.uid;
  });
}

const api::AllocatedDeviceStatus* StatusOf(const api::ResourceClaim& claim,
                                           const api::DeviceRequestAllocationResult& result) {
  const auto found = std::ranges::find_if(claim.status.devices, [&](const auto& device) {
    return device.driver == result.driver && device.pool == result.pool &&
           device.device == result.device;
  });
  return found == claim.status.devices.end() ? nullptr : &*found;
}

// Go's %q, for the characters that messages have.
std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

Result<std::vector<model::ClaimRef>> ClaimsOf(const model::Cluster& cluster, const api::Pod& pod) {
  std::vector<model::ClaimRef> claims;
  const std::string& namespace_ = pod.metadata.namespace_;
  for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
    const auto name = NameOfClaim(pod, entry);
    if (!name) return std::unexpected(name.error());
    if (*name == nullptr) continue;
    model::ClaimRef claim = cluster.devices().FindClaim({namespace_, **name});
    if (claim == nullptr) {
      return Fail(fmt::format("could not find ResourceClaim \"{}/{}\"", namespace_, **name));
    }
    if (claim->metadata.deletion_timestamp) {
      return Fail(fmt::format("resourceclaim \"{}\" is being deleted", **name));
    }
    if (!entry.resource_claim_name && !IsControlledBy(*claim, pod)) {
      return Fail(
          fmt::format("ResourceClaim {0}/{1} was not created for Pod {0}/{2} (Pod is not owner)",
                      namespace_, **name, pod.metadata.name));
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

Result<bool> AreDevicesReady(const api::ResourceClaim& claim) {
  if (!claim.status.allocation) return true;
  for (const auto& result : claim.status.allocation->results) {
    if (result.binding_conditions.empty()) continue;
    const api::AllocatedDeviceStatus* device = StatusOf(claim, result);
    if (device == nullptr) return false;
    auto find_true = [&](const std::string& type) -> const api::DeviceCondition* {
      const auto found = std::ranges::find(device->conditions, type, &api::DeviceCondition::type);
      return found == device->conditions.end() || found->status != "True" ? nullptr : &*found;
    };
    for (const std::string& type : result.binding_failure_conditions) {
      if (const api::DeviceCondition* failure = find_true(type)) {
        return Fail(fmt::format("device binding failed: claim={}, reason={}, message={}",
                                claim.metadata.name, failure->reason, Quote(failure->message)));
      }
    }
    for (const std::string& type : result.binding_conditions) {
      if (find_true(type) == nullptr) return false;
    }
  }
  return true;
}

bool HasBindingConditions(const api::ResourceClaim& claim) {
  return claim.status.allocation &&
         std::ranges::any_of(claim.status.allocation->results,
                             [](const auto& result) { return !result.binding_conditions.empty(); });
}

bool BindingTimedOut(const api::ResourceClaim& claim, Duration timeout, Instant date) {
  return HasBindingConditions(claim) && claim.status.allocation->allocation_timestamp &&
         *claim.status.allocation->allocation_timestamp + timeout < date;
}

}  // namespace berth::scheduler::plugins
