// Object is a shared pointer to an object of any kind that Berth schedules by. Objects are
// immutable once decoded; the engine, the informers and their handlers share them.
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "api/meta.h"
#include "api/node.h"
#include "api/object_fwd.h"
#include "api/pod.h"
#include "api/pod_group.h"
#include "api/resource_claim.h"
#include "api/storage.h"
#include "api/workloads.h"

namespace berth::api {

// The name and scope of a kind in the API.
struct KindInfo {
  std::string_view kind;         // "Pod"
  std::string_view api_version;  // "v1", "apps/v1"
  bool namespaced;
};

// In the order of Object.
inline constexpr KindInfo kKinds[] = {
    {"Pod", "v1", true},
    {"Node", "v1", false},
    {"Namespace", "v1", false},
    {"Service", "v1", true},
    {"ReplicationController", "v1", true},
    {"ReplicaSet", "apps/v1", true},
    {"StatefulSet", "apps/v1", true},
    {"PersistentVolume", "v1", false},
    {"PersistentVolumeClaim", "v1", true},
    {"StorageClass", "storage.k8s.io/v1", false},
    {"CSINode", "storage.k8s.io/v1", false},
    {"CSIDriver", "storage.k8s.io/v1", false},
    {"CSIStorageCapacity", "storage.k8s.io/v1", true},
    {"VolumeAttachment", "storage.k8s.io/v1", false},
    {"PodDisruptionBudget", "policy/v1", true},
    {"PriorityClass", "scheduling.k8s.io/v1", false},
    {"ResourceClaim", "resource.k8s.io/v1", true},
    {"DeviceClass", "resource.k8s.io/v1", false},
    {"ResourceSlice", "resource.k8s.io/v1", false},
    {"PodGroup", "scheduling.k8s.io/v1alpha2", true},
};
static_assert(std::size(kKinds) == std::variant_size_v<Object>);

// Returns the kind of the type T, for each T in Object.
template <typename T>
const KindInfo& KindOf() {
  return kKinds[Object(std::in_place_type<Ref<T>>).index()];
}

inline const KindInfo& KindOf(const Object& object) { return kKinds[object.index()]; }

inline const ObjectMeta& MetaOf(const Object& object) {
  return std::visit([](const auto& ref) -> const ObjectMeta& { return ref->metadata; }, object);
}

inline ObjectKey KeyOf(const Object& object) {
  const ObjectMeta& meta = MetaOf(object);
  return {meta.namespace_, meta.name};
}

}  // namespace berth::api
