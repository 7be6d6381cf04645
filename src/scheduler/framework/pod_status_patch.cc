#include "scheduler/framework/pod_status_patch.h"

#include <utility>
#include <vector>

namespace berth::scheduler::framework {
namespace {

using ClaimStatus = std::optional<api::PodExtendedResourceClaimStatus>;

// Returns what `newer` leaves of `older`: without mappings, those of before remain.
ClaimStatus Merge(const ClaimStatus& older, ClaimStatus newer) {
  if (!newer) return older;
  if (older && newer->request_mappings.empty()) newer->request_mappings = older->request_mappings;
  return newer;
}

}  // namespace

void Apply(const PatchPodStatus& patch, api::PodStatus& status) {
  if (patch.nominated_node_name) status.nominated_node_name = *patch.nominated_node_name;
  if (patch.condition) {
    std::erase_if(status.conditions, [&](const api::PodCondition& condition) {
      return condition.type == patch.condition->type;
    });
    status.conditions.push_back(*patch.condition);
  }
  status.extended_resource_claim_status =
      Merge(status.extended_resource_claim_status, patch.extended_resource_claim_status);
}

PatchPodStatus Merge(const PatchPodStatus& older, PatchPodStatus newer) {
  if (!newer.condition) newer.condition = older.condition;
  if (!newer.nominated_node_name) newer.nominated_node_name = older.nominated_node_name;
  newer.extended_resource_claim_status =
      Merge(older.extended_resource_claim_status, std::move(newer.extended_resource_claim_status));
  return newer;
}

}  // namespace berth::scheduler::framework
