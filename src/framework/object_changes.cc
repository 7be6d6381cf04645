#include "framework/object_changes.h"

#include <algorithm>
#include <map>
#include <string>

#include "api/pod_resources.h"

namespace berth {
namespace {

// True if the pod asks for less of something than before, or no longer at all.
bool IsScaledDown(const api::Pod& before, const api::Pod& after) {
  const api::PodRequestOptions options{.use_status = true};
  const api::ResourceList now = api::PodRequests(after, options);
  return std::ranges::any_of(api::PodRequests(before, options), [&](const auto& request) {
    const auto found = now.find(request.first);
    return found == now.end() || found->second.MilliValue() < request.second.MilliValue();
  });
}

// The status of each condition; of conditions of the same type the last counts.
std::map<std::string_view, std::string_view> ConditionsOf(const api::Node& node) {
  std::map<std::string_view, std::string_view> conditions;
  for (const api::NodeCondition& condition : node.status.conditions) {
    conditions[condition.type] = condition.status;
  }
  return conditions;
}

}  // namespace

std::vector<EventType> PodChanges(const api::Pod& before, const api::Pod& after) {
  const Resource resource =
      after.spec.node_name.empty() ? Resource::kUnschedulablePod : Resource::kAssignedPod;
  std::vector<EventType> events;
  auto note = [&](bool changed, Actions action) {
    if (changed) events.push_back({resource, action});
  };
  note(before.metadata.labels != after.metadata.labels, kUpdatePodLabel);
  note(IsScaledDown(before, after), kUpdatePodScaleDown);
  note(!before.spec.scheduling_gates.empty() && after.spec.scheduling_gates.empty(),
       kUpdatePodSchedulingGatesEliminated);
  // Tolerations of a pod can only be added to.
  note(before.spec.tolerations.size() != after.spec.tolerations.size(), kUpdatePodToleration);
  note(before.status.resource_claim_statuses != after.status.resource_claim_statuses,
       kUpdatePodGeneratedResourceClaim);
  note(events.empty(), kUpdate);
  return events;
}

std::vector<EventType> NodeChanges(const api::Node& before, const api::Node& after) {
  std::vector<EventType> events;
  auto note = [&](bool changed, Actions action) {
    if (changed) events.push_back({Resource::kNode, action});
  };
  note(before.spec.unschedulable && !after.spec.unschedulable, kUpdateNodeTaint);
  note(before.status.allocatable != after.status.allocatable, kUpdateNodeAllocatable);
  note(before.metadata.labels != after.metadata.labels, kUpdateNodeLabel);
  note(before.spec.taints != after.spec.taints, kUpdateNodeTaint);
  note(ConditionsOf(before) != ConditionsOf(after), kUpdateNodeCondition);
  note(before.metadata.annotations != after.metadata.annotations, kUpdateNodeAnnotation);
  note(before.status.declared_features != after.status.declared_features,
       kUpdateNodeDeclaredFeature);
  return events;
}

}  // namespace berth
