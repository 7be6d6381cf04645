// What DynamicResources knows in one cycle about the claims of its pod: PreFilter and Filter fill
// it in, Reserve adds the allocations for the chosen node, PreBind and Unreserve write them or give
// them up.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/resource_claim.h"
#include "scheduler/devices/extended_resources.h"
#include "scheduler/framework/cycle.h"
#include "scheduler/model/device_claims.h"

namespace berth::scheduler::plugins {

// The name of a special claim that is not in the API yet.
inline constexpr std::string_view kSpecialClaimName = "<extended-resources>";
inline constexpr std::string_view kSpecialClaimAnnotation =
    "resource.kubernetes.io/extended-resource-claim";
inline constexpr std::string_view kClaimFinalizer = "resource.kubernetes.io/delete-protection";

using devices::ExtendedResourceMapping;

// One claim of the pod.
struct PodClaim {
  // As PreFilter found it. Reserve replaces a special claim that is not in the API by the one for
  // the node, with its requests; PreBind replaces it by what a write returned.
  model::ClaimRef object;
  // The claim that the scheduler makes for extended resources of the pod.
  bool special = false;
  // Another member of the pod's group allocates it: `object` has the allocation that is in flight.
  bool joined = false;
  // What Reserve has chosen for the node, for a claim that was not allocated; in flight under the
  // uid of `object` until PreBind or Unreserve. Null if there is nothing to allocate.
  std::shared_ptr<const api::AllocationResult> allocation = {};

  bool in_api() const { return object->metadata.name != kSpecialClaimName; }
};

struct PodClaims {
  // Those of spec.resourceClaims in order, then the special one.
  std::vector<PodClaim> claims;
  // Of the special claim on the chosen node; set by Reserve.
  std::vector<ExtendedResourceMapping> mappings;
};

// The state under the slot of the plugin. Dry runs share it, as in kube-scheduler.
struct ClaimState : framework::CycleState {
  std::shared_ptr<PodClaims> pod = NoClaims();  // Never null.

 private:
  // Shared by all pods without claims, which nobody changes.
  static const std::shared_ptr<PodClaims>& NoClaims() {
    static const auto none = std::make_shared<PodClaims>();
    return none;
  }
};

}  // namespace berth::scheduler::plugins
