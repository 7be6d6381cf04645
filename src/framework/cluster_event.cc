#include "framework/cluster_event.h"

#include "framework/action_names.h"

namespace berth {
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

// That the numbers are compared keeps an unspecific update from whoever waits for a specific one.
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

}  // namespace berth
