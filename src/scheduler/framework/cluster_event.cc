#include "scheduler/framework/cluster_event.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "api/node.h"
#include "api/pod_resources.h"
#include "scheduler/model/resources.h"

namespace berth::scheduler::framework {
namespace {

constexpr std::string_view kResourceNames[] = {
    "Pod",
    "AssignedPod",
    "UnschedulablePod",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "storage.k8s.io/CSINode",
    "storage.k8s.io/CSIDriver",
    "storage.k8s.io/VolumeAttachment",
    "storage.k8s.io/CSIStorageCapacity",
    "storage.k8s.io/StorageClass",
    "resource.k8s.io/ResourceClaim",
    "resource.k8s.io/ResourceSlice",
    "resource.k8s.io/DeviceClass",
    "scheduling.k8s.io/PodGroup",
    "*",
};
static_assert(std::size(kResourceNames) == static_cast<size_t>(Resource::kAny) + 1);

bool CoversResource(Resource interest, Resource event) {
  if (interest == Resource::kAny || interest == event) return true;
  return interest == Resource::kPod &&
         (event == Resource::kAssignedPod || event == Resource::kUnschedulablePod);
}

}  // namespace

std::string_view ToString(Resource resource) {
  return kResourceNames[static_cast<size_t>(resource)];
}

// Because the numbers are compared, an unspecific update does not cover a registration for a
// specific one.
bool EventType::Covers(EventType event) const {
  if (wildcard()) return true;
  return CoversResource(resource, event.resource) && (actions & event.actions) != 0 &&
         event.actions <= actions;
}

std::string EventType::Label() const {
  std::string label(ToString(resource));
  if (actions == kAllActions) return label.append("All");
  if (actions == kUpdate) return label.append("Update");
  return label.append(NameOf(actions));
}

namespace {

// In the order of their bits.
constexpr std::string_view kNames[] = {
    "Add",
    "Delete",
    "UpdateNodeAllocatable",
    "UpdateNodeLabel",
    "UpdateNodeTaint",
    "UpdateNodeCondition",
    "UpdateNodeAnnotation",
    "UpdateNodeDeclaredFeature",
    "UpdatePodLabel",
    "UpdatePodScaleDown",
    "UpdatePodToleration",
    "UpdatePodSchedulingGatesEliminated",
    "UpdatePodGeneratedResourceClaim",
};
static_assert(std::ssize(kNames) == std::popcount(kAllActions));

}  // namespace

std::string_view NameOf(Actions action) {
  if (std::popcount(action) != 1 || (action & kAllActions) == 0) return "";
  return kNames[std::countr_zero(action)];
}

Actions ParseAction(std::string_view name) {
  for (size_t bit = 0; bit < std::size(kNames); ++bit) {
    if (kNames[bit] == name) return static_cast<Actions>(1U << bit);
  }
  return 0;
}

namespace {

// Reports whether the pod requests less of something than before, or no longer at all.
bool IsScaledDown(const api::Pod& before, const api::Pod& after, const model::Features& features) {
  const api::PodRequestOptions options = model::ScaledPodRequests(features);
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

std::vector<EventType> PodSchedulingPropertiesChange(const api::Pod& before, const api::Pod& after,
                                                     const model::Features& features) {
  const Resource resource =
      after.spec.node_name.empty() ? Resource::kUnschedulablePod : Resource::kAssignedPod;
  std::vector<EventType> events;
  auto note = [&](bool changed, Actions action) {
    if (changed) events.push_back({resource, action});
  };
  note(before.metadata.labels != after.metadata.labels, kUpdatePodLabel);
  note(IsScaledDown(before, after, features), kUpdatePodScaleDown);
  note(!before.spec.scheduling_gates.empty() && after.spec.scheduling_gates.empty(),
       kUpdatePodSchedulingGatesEliminated);
  // Tolerations of a pod can only be added to.
  note(before.spec.tolerations.size() != after.spec.tolerations.size(), kUpdatePodToleration);
  note(before.status.resource_claim_statuses != after.status.resource_claim_statuses ||
           before.status.extended_resource_claim_status !=
               after.status.extended_resource_claim_status,
       kUpdatePodGeneratedResourceClaim);
  note(events.empty(), kUpdate);
  return events;
}

std::vector<EventType> NodeSchedulingPropertiesChange(const api::Node& before,
                                                      const api::Node& after,
                                                      const model::Features& features) {
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
  note(features.node_declared_features &&
           before.status.declared_features != after.status.declared_features,
       kUpdateNodeDeclaredFeature);
  return events;
}

namespace {

constexpr std::array<std::string_view, 6> kCauseNames = {
    "ScheduleAttemptFailure", "BackoffComplete",      "PopFromBackoffQ",
    "ForceActivate",          "UnschedulableTimeout", "PodPopped"};

}  // namespace

EventLabel::EventLabel(const ClusterEvent& event) : EventLabel(event.type) {
  if (event.label.empty()) return;
  for (size_t cause = 0; cause < kCauseNames.size(); ++cause) {
    if (event.label == kCauseNames[cause]) *this = EventLabel(static_cast<Cause>(cause));
  }
}

std::string EventLabel::Text() const {
  if (index_ >= kCauses) return std::string(kCauseNames[index_ - kCauses]);
  const auto place = static_cast<uint8_t>(index_ % kActions);
  const Actions actions = place == kUpdatePlace ? kUpdate
                          : place == kAllPlace  ? kAllActions
                                                : static_cast<Actions>(1 << place);
  return EventType{static_cast<Resource>(index_ / kActions), actions}.Label();
}

}  // namespace berth::scheduler::framework
