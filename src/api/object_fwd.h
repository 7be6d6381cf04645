// Object without the kinds: enough to hold and pass on objects of any kind, or of one.
//
// Files that read an object's fields include object.h, or the header of its kind.
#pragma once

#include <memory>
#include <variant>

namespace berth::api {

struct CsiDriver;
struct CsiNode;
struct CsiStorageCapacity;
struct DeviceClass;
struct Namespace;
struct Node;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct Pod;
struct PodDisruptionBudget;
struct PodGroup;
struct PriorityClass;
struct ReplicaSet;
struct ReplicationController;
struct ResourceClaim;
struct ResourceSlice;
struct Service;
struct StatefulSet;
struct StorageClass;
struct VolumeAttachment;

template <typename T>
using Ref = std::shared_ptr<const T>;

using Object =
    std::variant<Ref<Pod>, Ref<Node>, Ref<Namespace>, Ref<Service>, Ref<ReplicationController>,
                 Ref<ReplicaSet>, Ref<StatefulSet>, Ref<PersistentVolume>,
                 Ref<PersistentVolumeClaim>, Ref<StorageClass>, Ref<CsiNode>, Ref<CsiDriver>,
                 Ref<CsiStorageCapacity>, Ref<VolumeAttachment>, Ref<PodDisruptionBudget>,
                 Ref<PriorityClass>, Ref<ResourceClaim>, Ref<DeviceClass>, Ref<ResourceSlice>,
                 Ref<PodGroup>>;

// The object was added or modified; this is its new state.
struct ObjectPut {
  Object object;
};

// The object was deleted; this is its last state.
struct ObjectDeleted {
  Object object;
};

using ObjectChange = std::variant<ObjectPut, ObjectDeleted>;

}  // namespace berth::api
