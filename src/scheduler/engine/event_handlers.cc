#include "scheduler/engine/event_handlers.h"

#include <type_traits>
#include <variant>

#include "api/object.h"
#include "scheduler/model/objects.h"

namespace berth::scheduler::engine {
namespace {

// The events that the objects of a kind cause, as in kube-scheduler.
template <typename T>
struct EventTraits {
  static constexpr bool kHasHandler = false;
};
template <framework::Resource resource, bool adds, bool updates, bool deletes>
struct EventTraitsOf {
  static constexpr bool kHasHandler = true;
  static constexpr framework::Resource kResource = resource;
  static constexpr bool kAdds = adds, kUpdates = updates, kDeletes = deletes;
};
template <>
struct EventTraits<api::CsiNode> : EventTraitsOf<framework::Resource::kCsiNode, true, true, false> {
};
template <>
struct EventTraits<api::CsiDriver>
    : EventTraitsOf<framework::Resource::kCsiDriver, false, true, false> {};
template <>
struct EventTraits<api::CsiStorageCapacity>
    : EventTraitsOf<framework::Resource::kCsiStorageCapacity, true, true, false> {};
template <>
struct EventTraits<api::PersistentVolume>
    : EventTraitsOf<framework::Resource::kPersistentVolume, true, true, false> {};
template <>
struct EventTraits<api::PersistentVolumeClaim>
    : EventTraitsOf<framework::Resource::kPersistentVolumeClaim, true, true, false> {};
template <>
struct EventTraits<api::StorageClass>
    : EventTraitsOf<framework::Resource::kStorageClass, true, true, false> {};
template <>
struct EventTraits<api::DeviceClass>
    : EventTraitsOf<framework::Resource::kDeviceClass, true, true, false> {};
template <>
struct EventTraits<api::ResourceSlice>
    : EventTraitsOf<framework::Resource::kResourceSlice, true, true, false> {};
template <>
struct EventTraits<api::ResourceClaim>
    : EventTraitsOf<framework::Resource::kResourceClaim, true, true, false> {};
template <>
struct EventTraits<api::VolumeAttachment>
    : EventTraitsOf<framework::Resource::kVolumeAttachment, false, false, true> {};

constexpr framework::EventType kAssignedPodAdd{framework::Resource::kAssignedPod, framework::kAdd};
constexpr framework::EventType kAssignedPodDelete{framework::Resource::kAssignedPod,
                                                  framework::kDelete};

// Reports whether both are the same version of an object, as in a resync.
bool SameVersion(const api::ObjectMeta& a, const api::ObjectMeta& b) {
  return !a.resource_version.empty() && a.resource_version == b.resource_version;
}

}  // namespace

EventHandlers::HandledEvent EventHandlers::Put(const api::Object& object) {
  return std::visit([this](const auto& ref) { return PutObject(ref); }, object);
}

EventHandlers::HandledEvent EventHandlers::Delete(const api::Object& object) {
  return std::visit([this](const auto& ref) { return DeleteObject(ref); }, object);
}

std::optional<size_t> EventHandlers::ProfileOf(const api::Pod& pod) const {
  const auto found = profile_of_.find(pod.spec.scheduler_name);
  if (found == profile_of_.end()) return std::nullopt;
  return found->second;
}

// --- objects without a table of their own ---

template <typename T>
EventHandlers::HandledEvent EventHandlers::PutObject(const std::shared_ptr<const T>& object) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    return PutPod(object);
  } else if constexpr (std::is_same_v<T, api::Node>) {
    return PutNode(object);
  } else if constexpr (EventTraits<T>::kHasHandler) {
    const auto& all = cluster_.objects<T>().all();
    const auto found = all.find({object->metadata.namespace_, object->metadata.name});
    const std::shared_ptr<const T> before = found == all.end() ? nullptr : found->second;
    cluster_.Put(object);
    if (before == nullptr && EventTraits<T>::kAdds) {
      queue_.MoveAllToActiveOrBackoffQueue(
          {.type = {EventTraits<T>::kResource, framework::kAdd}, .after = object}, now());
    } else if (before != nullptr && EventTraits<T>::kUpdates &&
               !SameVersion(before->metadata, object->metadata)) {
      queue_.MoveAllToActiveOrBackoffQueue({.type = {EventTraits<T>::kResource, framework::kUpdate},
                                            .before = before,
                                            .after = object},
                                           now());
    }
    return framework::EventType{EventTraits<T>::kResource,
                                before == nullptr ? framework::kAdd : framework::kUpdate};
  } else {
    cluster_.Put(object);
    return std::nullopt;
  }
}

template <typename T>
EventHandlers::HandledEvent EventHandlers::DeleteObject(const std::shared_ptr<const T>& object) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    return HandlePodDelete(object);
  } else {
    if constexpr (std::is_same_v<T, api::Node>) {
      // Before the node leaves the model, as in kube-scheduler.
      queue_.MoveAllToActiveOrBackoffQueue(
          {.type = {framework::Resource::kNode, framework::kDelete}, .before = object}, now());
    }
    cluster_.Remove<T>({object->metadata.namespace_, object->metadata.name});
    if constexpr (EventTraits<T>::kHasHandler) {
      if (EventTraits<T>::kDeletes) {
        queue_.MoveAllToActiveOrBackoffQueue(
            {.type = {EventTraits<T>::kResource, framework::kDelete}, .before = object}, now());
      }
      return framework::EventType{EventTraits<T>::kResource, framework::kDelete};
    }
    if constexpr (std::is_same_v<T, api::Node>)
      return framework::EventType{framework::Resource::kNode, framework::kDelete};
    return std::nullopt;
  }
}

EventHandlers::HandledEvent EventHandlers::PutNode(const std::shared_ptr<const api::Node>& node) {
  const model::NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(node->metadata.name));
  const std::shared_ptr<const api::Node> before =
      row.valid() ? cluster_.nodes().info(row).object : nullptr;
  cluster_.Put(node);
  if (before == nullptr) {
    queue_.MoveAllToActiveOrBackoffQueue(
        {.type = {framework::Resource::kNode, framework::kAdd}, .after = node}, now());
    return framework::EventType{framework::Resource::kNode, framework::kAdd};
  }
  for (framework::EventType change : framework::NodeSchedulingPropertiesChange(*before, *node)) {
    queue_.MoveAllToActiveOrBackoffQueue({.type = change, .before = before, .after = node}, now());
  }
  return framework::EventType{framework::Resource::kNode, framework::kUpdate};
}

// --- pods ---

EventHandlers::HandledEvent EventHandlers::PutPod(const std::shared_ptr<const api::Pod>& pod) {
  const model::PodId id = cluster_.pods().Find(pod->metadata.namespace_, pod->metadata.name);
  if (id.valid()) {
    const std::shared_ptr<const api::Pod> before = cluster_.pod(id).object;
    if (before->metadata.uid != pod->metadata.uid || pod->finished()) {
      const HandledEvent gone = HandlePodDelete(before);
      if (pod->finished()) return gone;
    } else if (!before->spec.node_name.empty()) {
      cluster_.PutPod(pod);
      for (framework::EventType change : framework::PodSchedulingPropertiesChange(*before, *pod)) {
        queue_.MoveAllToActiveOrBackoffQueue({.type = change, .before = before, .after = pod},
                                             now());
      }
      return framework::EventType{framework::Resource::kAssignedPod, framework::kUpdate};
    } else if (!pod->spec.node_name.empty()) {
      queue_.Remove(id);
      cluster_.PutPod(pod);
      queue_.MoveAllToActiveOrBackoffQueue({.type = kAssignedPodAdd, .after = pod}, now());
      return kAssignedPodAdd;
    } else {
      cluster_.PutPod(pod);
      HandlePendingPodUpdate(before, id);
      return framework::EventType{framework::Resource::kUnschedulablePod, framework::kUpdate};
    }
  }
  return pod->finished() ? std::nullopt : HandlePodAdd(pod);
}

EventHandlers::HandledEvent EventHandlers::HandlePodAdd(
    const std::shared_ptr<const api::Pod>& pod) {
  const model::PodId id = cluster_.PutPod(pod);
  if (!pod->spec.node_name.empty()) {
    queue_.MoveAllToActiveOrBackoffQueue({.type = kAssignedPodAdd, .after = pod}, now());
    return kAssignedPodAdd;
  }
  const auto profile = ProfileOf(*pod);
  if (!profile) return std::nullopt;
  NominateFromStatus(id);
  queue_.Add(id, *profile, now());
  return framework::EventType{framework::Resource::kUnschedulablePod, framework::kAdd};
}

void EventHandlers::NominateFromStatus(model::PodId id) {
  const std::string& node = cluster_.pod(id).object->status.nominated_node_name;
  cluster_.NominateByName(id, node);
}

void EventHandlers::HandlePendingPodUpdate(const std::shared_ptr<const api::Pod>& before,
                                           model::PodId id) {
  const model::PodRecord& record = cluster_.pod(id);
  const std::shared_ptr<const api::Pod> pod = record.object;
  const auto profile = ProfileOf(*pod);
  if (!profile || SameVersion(before->metadata, pod->metadata)) return;
  if (record.state == model::PodState::kAssumed) {
    const bool was_going = before->metadata.deletion_timestamp.has_value();
    if (record.terminating() && !was_going) HandleAssumedPodDelete(id);
    return;
  }
  // A nomination by preemption remains until the API has shown it.
  const std::string& old_node = before->status.nominated_node_name;
  const std::string& new_node = pod->status.nominated_node_name;
  if (!old_node.empty() || !new_node.empty()) NominateFromStatus(id);
  queue_.Update(before, id, *profile, now());
  if (!old_node.empty() && old_node != new_node) HandleNominationEnd(before);
}

EventHandlers::HandledEvent EventHandlers::HandlePodDelete(
    const std::shared_ptr<const api::Pod>& pod) {
  const api::ObjectKey key{pod->metadata.namespace_, pod->metadata.name};
  const model::PodId id = cluster_.pods().Find(key.namespace_, key.name);
  if (!id.valid()) return std::nullopt;
  const std::shared_ptr<const api::Pod> last = cluster_.pod(id).object;
  const bool assigned = !last->spec.node_name.empty();
  const bool assumed = cluster_.pod(id).state == model::PodState::kAssumed;
  queue_.Remove(id);
  if (assumed) HandleAssumedPodDelete(id);
  cluster_.Remove<api::Pod>(key);
  if (assigned) {
    queue_.MoveAllToActiveOrBackoffQueue({.type = kAssignedPodDelete, .before = last}, now());
  } else if (!assumed && ProfileOf(*last) && !last->status.nominated_node_name.empty()) {
    HandleNominationEnd(last);
  }
  return assigned
             ? kAssignedPodDelete
             : framework::EventType{framework::Resource::kUnschedulablePod, framework::kDelete};
}

std::shared_ptr<const api::Pod> EventHandlers::Placed(const api::Pod& pod,
                                                      model::NodeRow node) const {
  auto placed = api::CopyToChange(pod);
  placed->spec.node_name = cluster_.nodes().name(node);
  return placed;
}

void EventHandlers::HandleAssumedPodDelete(model::PodId id) {
  const std::shared_ptr<const api::Pod> pod =
      Placed(*cluster_.pod(id).object, cluster_.pod(id).node);
  if (!waiting_.Reject(pod->metadata.uid, "", "removed")) cluster_.Forget(id);
  queue_.MoveAllToActiveOrBackoffQueue({.type = kAssignedPodDelete, .before = pod}, now());
}

void EventHandlers::HandleNominationEnd(const std::shared_ptr<const api::Pod>& pod) {
  const int32_t priority = pod->priority();
  queue_.MoveAllToActiveOrBackoffQueue(
      {.type = kAssignedPodDelete, .before = pod}, now(),
      [&](const queue::QueueEntry& entry) { return entry.order.priority <= priority; });
}

}  // namespace berth::scheduler::engine
