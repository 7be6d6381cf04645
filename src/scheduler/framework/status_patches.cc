#include "scheduler/framework/status_patches.h"

#include <algorithm>
#include <utility>

#include "api/pod_group.h"
#include "api/resource_claim.h"

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

const api::PodCondition* FindCondition(const std::vector<api::PodCondition>& conditions,
                                       std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &api::PodCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

void SetCondition(const api::PodCondition& condition, std::vector<api::PodCondition>& conditions) {
  const auto found = std::ranges::find(conditions, condition.type, &api::PodCondition::type);
  if (found == conditions.end()) {
    conditions.push_back(condition);
  } else {
    *found = condition;
  }
}

std::optional<api::PodCondition> ConditionOver(const api::PodCondition* current,
                                               api::PodCondition wanted) {
  if (current == nullptr || current->status != wanted.status) return wanted;
  if (current->reason == wanted.reason && current->message == wanted.message) return std::nullopt;
  wanted.last_transition_time = current->last_transition_time;
  return wanted;
}

void Apply(const PatchPodStatus& patch, api::PodStatus& status) {
  if (patch.nominated_node_name) status.nominated_node_name = *patch.nominated_node_name;
  if (patch.condition) SetCondition(*patch.condition, status.conditions);
  status.extended_resource_claim_status =
      Merge(status.extended_resource_claim_status, patch.extended_resource_claim_status);
}

void Apply(const PatchPodGroupStatus& patch, api::PodGroup& group) {
  SetCondition(patch.condition, group.conditions);
}

void Apply(const UpdateResourceClaimStatus& update, api::ResourceClaim& claim) {
  claim.status = update.object->status;
}

void Apply(const UnreserveResourceClaim& unreserve, api::ResourceClaim& claim) {
  std::erase_if(claim.status.reserved_for, [&](const api::ResourceClaimConsumerReference& user) {
    return user.uid == unreserve.pod_uid;
  });
}

PatchPodStatus Merge(const PatchPodStatus& older, PatchPodStatus newer) {
  if (!newer.condition) newer.condition = older.condition;
  if (!newer.nominated_node_name) newer.nominated_node_name = older.nominated_node_name;
  newer.extended_resource_claim_status =
      Merge(older.extended_resource_claim_status, std::move(newer.extended_resource_claim_status));
  return newer;
}

bool IsEmpty(const PatchPodStatus& patch) {
  return !patch.condition && !patch.nominated_node_name && !patch.extended_resource_claim_status;
}

}  // namespace berth::scheduler::framework
