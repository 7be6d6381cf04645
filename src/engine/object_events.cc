// What the engine does when the API reports that an object came, changed or went: the model
// follows, and the queue hears of what may help waiting pods.

#include "engine/engine_state.h"
#include "framework/object_changes.h"

namespace berth {
namespace {

// The events that a kind's objects give rise to, as kube-scheduler listens to them.
template <typename T>
struct Heard {
  static constexpr bool kIsHeard = false;
};
template <Resource resource, bool adds, bool updates, bool deletes>
struct HeardAs {
  static constexpr bool kIsHeard = true;
  static constexpr Resource kResource = resource;
  static constexpr bool kAdds = adds, kUpdates = updates, kDeletes = deletes;
};
template <>
struct Heard<api::CsiNode> : HeardAs<Resource::kCsiNode, true, true, false> {};
template <>
struct Heard<api::CsiDriver> : HeardAs<Resource::kCsiDriver, false, true, false> {};
template <>
struct Heard<api::CsiStorageCapacity> : HeardAs<Resource::kCsiStorageCapacity, true, true, false> {
};
template <>
struct Heard<api::PersistentVolume> : HeardAs<Resource::kPersistentVolume, true, true, false> {};
template <>
struct Heard<api::PersistentVolumeClaim>
    : HeardAs<Resource::kPersistentVolumeClaim, true, true, false> {};
template <>
struct Heard<api::StorageClass> : HeardAs<Resource::kStorageClass, true, true, false> {};
template <>
struct Heard<api::DeviceClass> : HeardAs<Resource::kDeviceClass, true, true, false> {};
template <>
struct Heard<api::ResourceSlice> : HeardAs<Resource::kResourceSlice, true, true, false> {};
template <>
struct Heard<api::ResourceClaim> : HeardAs<Resource::kResourceClaim, true, true, false> {};
template <>
struct Heard<api::VolumeAttachment> : HeardAs<Resource::kVolumeAttachment, false, false, true> {};

constexpr EventType kAssignedPodAdd{Resource::kAssignedPod, kAdd};
constexpr EventType kAssignedPodDelete{Resource::kAssignedPod, kDelete};

// The API has seen this version already.
bool SameVersion(const api::ObjectMeta& a, const api::ObjectMeta& b) {
  return !a.resource_version.empty() && a.resource_version == b.resource_version;
}

}  // namespace

void EngineState::Handle(const Event& event, Instant time) {
  if (cycle_ == nullptr) {
    PassTime(time);
    const int64_t since = measurements_ == nullptr ? 0 : measurements_->Read();
    const Noted noted = TakeNote(event);
    if (noted && measurements_ != nullptr)
      measurements_->EventHandled(*noted, {measurements_->Read() - since});
    return;
  }
  const auto* done = std::get_if<WriteDone>(&event);
  if (done == nullptr || !outbox_.CycleWaitsFor(done->id)) {
    held_back_.emplace_back(event, time);
    return;
  }
  ResumeCycle(*done);
}

void EngineState::ResumeCycle(const WriteDone& answer) {
  outbox_.WriteEnded(answer.id, answer.result);
  if (!cycle_->search.done()) return;
  Conclude();
  // None of these starts another cycle.
  for (auto& [event, time] : std::exchange(held_back_, {})) Handle(event, time);
}

EngineState::Noted EngineState::TakeNote(const Event& event) {
  Noted noted;
  if (const auto* put = std::get_if<ObjectPut>(&event)) {
    noted = std::visit([this](const auto& object) { return Put(object); }, put->object);
  } else if (const auto* gone = std::get_if<ObjectGone>(&event)) {
    noted = std::visit([this](const auto& object) { return Gone(object); }, gone->object);
  } else if (const auto* done = std::get_if<WriteDone>(&event)) {
    if (!status_.WriteEnded(done->id, done->result)) outbox_.WriteEnded(done->id, done->result);
  } else {
    const auto& spoken = std::get<PermitSpoken>(event);
    if (spoken.allow) {
      waiting_.Allow(spoken.uid, spoken.plugin);
    } else {
      waiting_.Reject(spoken.uid, spoken.plugin, spoken.message);
    }
  }
  Reap();
  return noted;
}

std::optional<size_t> EngineState::ProfileOf(const api::Pod& pod) const {
  const auto found = profile_of_.find(pod.spec.scheduler_name);
  if (found == profile_of_.end()) return std::nullopt;
  return found->second;
}

// --- objects without a table of their own ---

template <typename T>
EngineState::Noted EngineState::Put(const std::shared_ptr<const T>& object) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    return PutPod(object);
  } else if constexpr (std::is_same_v<T, api::Node>) {
    return PutNode(object);
  } else if constexpr (Heard<T>::kIsHeard) {
    const auto& all = cluster_.objects<T>().all();
    const auto found = all.find({object->metadata.namespace_, object->metadata.name});
    const std::shared_ptr<const T> before = found == all.end() ? nullptr : found->second;
    cluster_.Put(object);
    if (before == nullptr && Heard<T>::kAdds) {
      queue_->Move({.type = {Heard<T>::kResource, kAdd}, .after = object}, now());
    } else if (before != nullptr && Heard<T>::kUpdates &&
               !SameVersion(before->metadata, object->metadata)) {
      queue_->Move({.type = {Heard<T>::kResource, kUpdate}, .before = before, .after = object},
                   now());
    }
    return EventType{Heard<T>::kResource, before == nullptr ? kAdd : kUpdate};
  } else {
    cluster_.Put(object);
    return std::nullopt;
  }
}

template <typename T>
EngineState::Noted EngineState::Gone(const std::shared_ptr<const T>& object) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    return PodGone(object);
  } else {
    if constexpr (std::is_same_v<T, api::Node>) {
      // Heard of before the model forgets the node, as kube-scheduler does.
      queue_->Move({.type = {Resource::kNode, kDelete}, .before = object}, now());
    }
    cluster_.Remove<T>({object->metadata.namespace_, object->metadata.name});
    if constexpr (Heard<T>::kIsHeard) {
      if (Heard<T>::kDeletes) {
        queue_->Move({.type = {Heard<T>::kResource, kDelete}, .before = object}, now());
      }
      return EventType{Heard<T>::kResource, kDelete};
    }
    if constexpr (std::is_same_v<T, api::Node>) return EventType{Resource::kNode, kDelete};
    return std::nullopt;
  }
}

EngineState::Noted EngineState::PutNode(const std::shared_ptr<const api::Node>& node) {
  const NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(node->metadata.name));
  const std::shared_ptr<const api::Node> before =
      row.valid() ? cluster_.nodes().info(row).object : nullptr;
  cluster_.Put(node);
  if (before == nullptr) {
    queue_->Move({.type = {Resource::kNode, kAdd}, .after = node}, now());
    return EventType{Resource::kNode, kAdd};
  }
  for (EventType change : NodeChanges(*before, *node)) {
    queue_->Move({.type = change, .before = before, .after = node}, now());
  }
  return EventType{Resource::kNode, kUpdate};
}

// --- pods ---

EngineState::Noted EngineState::PutPod(const std::shared_ptr<const api::Pod>& pod) {
  const PodId id = cluster_.pods().Find(pod->metadata.namespace_, pod->metadata.name);
  if (id.valid()) {
    const std::shared_ptr<const api::Pod> before = cluster_.pod(id).object;
    if (before->metadata.uid != pod->metadata.uid || pod->finished()) {
      const Noted gone = PodGone(before);
      if (pod->finished()) return gone;
    } else if (!before->spec.node_name.empty()) {
      cluster_.PutPod(pod);
      for (EventType change : PodChanges(*before, *pod)) {
        queue_->Move({.type = change, .before = before, .after = pod}, now());
      }
      return EventType{Resource::kAssignedPod, kUpdate};
    } else if (!pod->spec.node_name.empty()) {
      queue_->Remove(id);
      cluster_.PutPod(pod);
      queue_->Move({.type = kAssignedPodAdd, .after = pod}, now());
      return kAssignedPodAdd;
    } else {
      cluster_.PutPod(pod);
      WaitingPodChanged(before, id);
      return EventType{Resource::kUnschedulablePod, kUpdate};
    }
  }
  return pod->finished() ? std::nullopt : NewPod(pod);
}

EngineState::Noted EngineState::NewPod(const std::shared_ptr<const api::Pod>& pod) {
  const PodId id = cluster_.PutPod(pod);
  if (!pod->spec.node_name.empty()) {
    queue_->Move({.type = kAssignedPodAdd, .after = pod}, now());
    return kAssignedPodAdd;
  }
  const auto profile = ProfileOf(*pod);
  if (!profile) return std::nullopt;
  NominateFromStatus(id);
  queue_->Add(id, *profile, now());
  return EventType{Resource::kUnschedulablePod, kAdd};
}

void EngineState::NominateFromStatus(PodId id) {
  const std::string& node = cluster_.pod(id).object->status.nominated_node_name;
  cluster_.Nominate(id, node.empty() ? Symbol{} : cluster_.mutable_symbols().Intern(node));
}

void EngineState::WaitingPodChanged(const std::shared_ptr<const api::Pod>& before, PodId id) {
  const PodRecord& record = cluster_.pod(id);
  const std::shared_ptr<const api::Pod> pod = record.object;
  const auto profile = ProfileOf(*pod);
  if (!profile || SameVersion(before->metadata, pod->metadata)) return;
  if (record.state == PodState::kAssumed) {
    const bool was_going = before->metadata.deletion_timestamp.has_value();
    if (record.terminating() && !was_going) AssumedPodGoes(id);
    return;
  }
  // What preemption promised stays until the API has shown it.
  const std::string& old_node = before->status.nominated_node_name;
  const std::string& new_node = pod->status.nominated_node_name;
  if (!old_node.empty() || !new_node.empty()) NominateFromStatus(id);
  queue_->Update(before, id, *profile, now());
  if (!old_node.empty() && old_node != new_node) NominationEnds(before);
}

EngineState::Noted EngineState::PodGone(const std::shared_ptr<const api::Pod>& pod) {
  const api::ObjectKey key{pod->metadata.namespace_, pod->metadata.name};
  const PodId id = cluster_.pods().Find(key.namespace_, key.name);
  if (!id.valid()) return std::nullopt;
  const std::shared_ptr<const api::Pod> last = cluster_.pod(id).object;
  const bool assigned = !last->spec.node_name.empty();
  const bool assumed = cluster_.pod(id).state == PodState::kAssumed;
  queue_->Remove(id);
  if (assumed) AssumedPodGoes(id);
  cluster_.Remove<api::Pod>(key);
  if (assigned) {
    queue_->Move({.type = kAssignedPodDelete, .before = last}, now());
  } else if (!assumed && ProfileOf(*last) && !last->status.nominated_node_name.empty()) {
    NominationEnds(last);
  }
  return assigned ? kAssignedPodDelete : EventType{Resource::kUnschedulablePod, kDelete};
}

std::shared_ptr<const api::Pod> EngineState::Placed(const api::Pod& pod, NodeRow node) const {
  auto placed = api::CopyToChange(pod);
  placed->spec.node_name = cluster_.nodes().name(node);
  return placed;
}

void EngineState::AssumedPodGoes(PodId id) {
  const std::shared_ptr<const api::Pod> pod =
      Placed(*cluster_.pod(id).object, cluster_.pod(id).node);
  if (!waiting_.Reject(pod->metadata.uid, "", "removed")) cluster_.Forget(id);
  queue_->Move({.type = kAssignedPodDelete, .before = pod}, now());
}

// The room that was kept for the pod is there for others that are not more important.
void EngineState::NominationEnds(const std::shared_ptr<const api::Pod>& pod) {
  const int32_t priority = pod->priority();
  queue_->Move({.type = kAssignedPodDelete, .before = pod}, now(),
               [&](const QueueEntry& entry) { return entry.order.priority <= priority; });
}

}  // namespace berth
