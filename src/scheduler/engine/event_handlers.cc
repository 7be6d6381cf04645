#include "scheduler/engine/event_handlers.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "api/object.h"
#include "scheduler/model/device_model.h"
#include "scheduler/model/node_zone.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {
namespace {

// The resource that objects of a kind are in events; nothing for kinds that cause none. The queue
// ignores the events that no plugin or extender registered for, as kube-scheduler, which then does
// not watch them.
template <typename T>
constexpr std::optional<framework::Resource> kResourceOf = std::nullopt;
template <>
constexpr std::optional kResourceOf<api::CsiNode> = framework::Resource::kCsiNode;
template <>
constexpr std::optional kResourceOf<api::CsiDriver> = framework::Resource::kCsiDriver;
template <>
constexpr std::optional kResourceOf<api::CsiStorageCapacity> =
    framework::Resource::kCsiStorageCapacity;
template <>
constexpr std::optional kResourceOf<api::PersistentVolume> = framework::Resource::kPersistentVolume;
template <>
constexpr std::optional kResourceOf<api::PersistentVolumeClaim> =
    framework::Resource::kPersistentVolumeClaim;
template <>
constexpr std::optional kResourceOf<api::StorageClass> = framework::Resource::kStorageClass;
template <>
constexpr std::optional kResourceOf<api::VolumeAttachment> = framework::Resource::kVolumeAttachment;
template <>
constexpr std::optional kResourceOf<api::DeviceClass> = framework::Resource::kDeviceClass;
template <>
constexpr std::optional kResourceOf<api::ResourceSlice> = framework::Resource::kResourceSlice;
template <>
constexpr std::optional kResourceOf<api::ResourceClaim> = framework::Resource::kResourceClaim;

template <>
constexpr std::optional kResourceOf<api::PodGroup> = framework::Resource::kPodGroup;

constexpr framework::EventType kAssignedPodAdd{framework::Resource::kAssignedPod, framework::kAdd};
constexpr framework::EventType kAssignedPodDelete{framework::Resource::kAssignedPod,
                                                  framework::kDelete};
constexpr framework::EventType kUnschedulablePodAdd{framework::Resource::kUnschedulablePod,
                                                    framework::kAdd};
constexpr framework::EventType kUnschedulablePodUpdate{framework::Resource::kUnschedulablePod,
                                                       framework::kUpdate};
constexpr framework::EventType kUnschedulablePodDelete{framework::Resource::kUnschedulablePod,
                                                       framework::kDelete};

template <typename T>
framework::ClusterEvent UpdateOf(framework::EventType type, const std::shared_ptr<const T>& before,
                                 const std::shared_ptr<const T>& after) {
  framework::ClusterEvent event{.type = type, .after = after};
  if (before != nullptr) event.before = before;
  return event;
}

// Returns the object as the scheduler knows it: for claims, with the writes that are assumed.
template <typename T>
std::shared_ptr<const T> Latest(const model::Cluster& cluster, const T& object) {
  const model::ObjectName name(object.metadata);
  if constexpr (std::is_same_v<T, api::ResourceClaim>) {
    return cluster.devices().FindClaim(name);
  } else {
    return cluster.objects<T>().FindRef(name);
  }
}

std::string NameOf(const api::Pod& pod) {
  return api::ObjectKey{pod.metadata.namespace_, pod.metadata.name}.ToString();
}

// As kube-scheduler's node tree names a zone.
std::string ZoneText(const api::Node& node) {
  const auto [region, zone] = model::ZoneOf(node.metadata.labels);
  if (region.empty() && zone.empty()) return "";
  std::string text(region);
  text.append(":").append(1, '\0').append(":").append(zone);
  return text;
}

void LogNodeTree(const framework::Log& log, const char* what, const api::Node& node) {
  ENGINE_LOG(log, 2, what, {{"node", node.metadata.name}, {"zone", ZoneText(node)}});
}

// Reports whether both are the same version of an object, as in a resync.
bool SameVersion(const api::ObjectMeta& a, const api::ObjectMeta& b) {
  return !a.resource_version.empty() && a.resource_version == b.resource_version;
}

}  // namespace

const EventHandlers::HandledEvents& EventHandlers::Put(const api::Object& object) {
  handled_.clear();
  std::visit([this](const auto& ref) { PutObject(ref); }, object);
  return handled_;
}

const EventHandlers::HandledEvents& EventHandlers::Delete(const api::Object& object) {
  handled_.clear();
  std::visit([this](const auto& ref) { DeleteObject(ref); }, object);
  return handled_;
}

void EventHandlers::Move(const framework::ClusterEvent& event) {
  queue_.MoveAllToActiveOrBackoffQueue(event, now());
  handled_.push_back(event.type);
}

// --- objects without a table of their own ---

template <typename T>
void EventHandlers::PutObject(const std::shared_ptr<const T>& object) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    PutPod(object);
  } else if constexpr (std::is_same_v<T, api::Node>) {
    PutNode(object);
  } else if constexpr (kResourceOf<T>.has_value()) {
    const std::shared_ptr<const T> before = Latest(cluster_, *object);
    cluster_.Put(object);
    if constexpr (std::is_same_v<T, api::PodGroup>) group_conditions_.Seen(*object);
    if (before != nullptr && SameVersion(before->metadata, object->metadata)) return;
    // A claim as it was before a write that the engine knows of is no event.
    if (std::is_same_v<T, api::ResourceClaim> && Latest(cluster_, *object) != object) return;
    const framework::EventType type{*kResourceOf<T>,
                                    before == nullptr ? framework::kAdd : framework::kUpdate};
    if (queue_.IsEventOfInterest(type)) Move(UpdateOf(type, before, object));
  } else {
    cluster_.Put(object);
  }
}

template <typename T>
void EventHandlers::DeleteObject(const std::shared_ptr<const T>& object) {
  if constexpr (std::is_same_v<T, api::Pod>) {
    HandlePodDelete(object);
  } else {
    if constexpr (std::is_same_v<T, api::Node>) {
      // Before the node leaves the model, as in kube-scheduler.
      Move({.type = {framework::Resource::kNode, framework::kDelete}, .before = object});
      ENGINE_LOG(log_, 3, "Delete event for node", {{"node", object->metadata.name}});
      if (log_.IsOn(2)) [[unlikely]]
        LogNodeTree(log_, "Removed node from NodeTree", *object);
    }
    cluster_.Remove<T>({object->metadata.namespace_, object->metadata.name});
    if constexpr (std::is_same_v<T, api::PodGroup>) {
      group_conditions_.Forget(object->metadata.uid);
      CheckGatesOfGroup({object->metadata.namespace_, object->metadata.name});
    }
    if constexpr (kResourceOf<T>.has_value()) {
      const framework::EventType type{*kResourceOf<T>, framework::kDelete};
      if (queue_.IsEventOfInterest(type)) Move({.type = type, .before = object});
    }
  }
}

void EventHandlers::HandleAssumedClaims() {
  const framework::EventType type{framework::Resource::kResourceClaim, framework::kUpdate};
  const bool matters = queue_.IsEventOfInterest(type);
  for (const auto& [before, after] : cluster_.mutable_devices().TakeAssumedChanges()) {
    if (matters) queue_.MoveAllToActiveOrBackoffQueue(UpdateOf(type, before, after), now());
  }
}

void EventHandlers::PutNode(const std::shared_ptr<const api::Node>& node) {
  const model::NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(node->metadata.name));
  const std::shared_ptr<const api::Node> before =
      row.valid() ? cluster_.nodes().info(row).object : nullptr;
  if (log_.IsOn(2)) [[unlikely]]
    LogNodePut(before.get(), *node);
  cluster_.Put(node);
  if (before == nullptr)
    return Move({.type = {framework::Resource::kNode, framework::kAdd}, .after = node});
  for (framework::EventType change :
       framework::NodeSchedulingPropertiesChange(*before, *node, cluster_.features()))
    Move({.type = change, .before = before, .after = node});
}

void EventHandlers::LogNodePut(const api::Node* before, const api::Node& node) const {
  if (before == nullptr) {
    ENGINE_LOG(log_, 3, "Add event for node", {{"node", node.metadata.name}});
    return LogNodeTree(log_, "Added node to NodeTree", node);
  }
  ENGINE_LOG(log_, 4, "Update event for node", {{"node", node.metadata.name}});
  if (model::ZoneOf(before->metadata.labels) == model::ZoneOf(node.metadata.labels)) return;
  LogNodeTree(log_, "Removed node from NodeTree", *before);
  LogNodeTree(log_, "Added node to NodeTree", node);
}

// --- pods ---

// Names the group of the pod where the engine reads it.
std::shared_ptr<const api::Pod> EventHandlers::WithItsGroup(
    const std::shared_ptr<const api::Pod>& pod) const {
  if (!cluster_.features().coscheduling) return pod;
  std::optional<std::string> group;
  if (cluster_.features().generic_workload) group = pod->spec.pod_group_name;
  if (!group) {
    std::string labelled = api::CoschedulingGroupOf(*pod);
    if (!labelled.empty()) group = std::move(labelled);
  }
  if (group == pod->spec.pod_group_name) return pod;
  auto named = api::CopyToChange(*pod);
  named->spec.pod_group_name = std::move(group);
  return named;
}

void EventHandlers::PutPod(const std::shared_ptr<const api::Pod>& delivered) {
  const std::shared_ptr<const api::Pod> pod = WithItsGroup(delivered);
  const model::PodId id = cluster_.pods().Find(pod->metadata.namespace_, pod->metadata.name);
  if (id.valid()) {
    const std::shared_ptr<const api::Pod> before = cluster_.pod(id).object;
    if (before->metadata.uid != pod->metadata.uid || pod->finished()) {
      HandlePodDelete(before);
    } else if (!before->spec.node_name.empty()) {
      return HandleAssignedPodUpdate(before, pod);
    } else if (!pod->spec.node_name.empty()) {
      queue_.Remove(id);
      cluster_.PutPod(pod);
      ENGINE_LOG(log_, 3, "Add event for scheduled pod", {{"pod", NameOf(*pod)}});
      Move({.type = kAssignedPodAdd, .after = pod});
      if (profiles_.For(*before)) {
        handled_.push_back(kUnschedulablePodDelete);
        ENGINE_LOG(log_, 3, "Delete event for unscheduled pod", {{"pod", NameOf(*pod)}});
      }
      return;
    } else {
      cluster_.PutPod(pod);
      return HandlePendingPodUpdate(before, id);
    }
  }
  if (!pod->finished()) HandlePodAdd(pod);
}

void EventHandlers::HandlePodAdd(const std::shared_ptr<const api::Pod>& pod) {
  const model::PodId id = cluster_.PutPod(pod);
  if (!pod->spec.node_name.empty()) {
    ENGINE_LOG(log_, 3, "Add event for scheduled pod", {{"pod", NameOf(*pod)}});
    return Move({.type = kAssignedPodAdd, .after = pod});
  }
  const auto profile = profiles_.For(*pod);
  if (!profile) return;
  ENGINE_LOG(log_, 3, "Add event for unscheduled pod", {{"pod", NameOf(*pod)}});
  queue_.Add(id, *profile, now());
  // A gated pod does not reserve its nominated node.
  if (!IsGated(id)) NominateFromStatus(id);
  // It may complete a gang.
  if (cluster_.features().has_gangs())
    queue_.MoveAllToActiveOrBackoffQueue({.type = kUnschedulablePodAdd, .after = pod}, now());
  handled_.push_back(kUnschedulablePodAdd);
}

bool EventHandlers::CanBePlaced(const api::ObjectKey& key) const {
  const api::PodGroup* group = cluster_.objects<api::PodGroup>().Find(key);
  const auto members = static_cast<int64_t>(cluster_.groups().Of(key).size());
  return group != nullptr && members >= group->min_count.value_or(0);
}

void EventHandlers::CheckGatesOfGroup(const api::ObjectKey& key) {
  const bool can_be_placed = CanBePlaced(key);
  for (model::PodId id : cluster_.groups().Of(key).pending) {
    queue_.CheckGates(id);
    if (can_be_placed || !cluster_.nominations().NodeOf(id).valid()) continue;
    cluster_.Nominate(id, {});
    HandleNominationEnd(cluster_.pod(id).object);
  }
}

void EventHandlers::HandleAssignedPodUpdate(const std::shared_ptr<const api::Pod>& before,
                                            const std::shared_ptr<const api::Pod>& pod) {
  ENGINE_LOG(log_, 4, "Update event for scheduled pod", {{"pod", NameOf(*pod)}});
  cluster_.PutPod(pod);
  for (framework::EventType change :
       framework::PodSchedulingPropertiesChange(*before, *pod, cluster_.features()))
    Move({.type = change, .before = before, .after = pod});
  // As in kube-scheduler, also if a change was counted under the same name.
  handled_.push_back({framework::Resource::kAssignedPod, framework::kUpdate});
}

bool EventHandlers::IsGated(model::PodId id) const {
  const queue::QueueEntry* entry = queue_.Find(id);
  return entry != nullptr && entry->gate != nullptr;
}

void EventHandlers::NominateFromStatus(model::PodId id) {
  const api::Pod& pod = *cluster_.pod(id).object;
  const auto group = cluster_.features().has_groups() ? model::GroupNamedBy(pod) : std::nullopt;
  const bool reserves = !group || CanBePlaced(*group);
  cluster_.NominateByName(id, reserves ? pod.status.nominated_node_name : "");
}

void EventHandlers::HandlePendingPodUpdate(const std::shared_ptr<const api::Pod>& before,
                                           model::PodId id) {
  const model::PodRecord& record = cluster_.pod(id);
  const std::shared_ptr<const api::Pod> pod = record.object;
  const auto profile = profiles_.For(*pod);
  if (!profile || SameVersion(before->metadata, pod->metadata)) return;
  const std::vector<framework::EventType> changes =
      framework::PodSchedulingPropertiesChange(*before, *pod, cluster_.features());
  handled_ = changes;
  if (std::ranges::find(changes, kUnschedulablePodUpdate) == changes.end())
    handled_.push_back(kUnschedulablePodUpdate);
  if (record.state == model::PodState::kAssumed) {
    const bool was_going = before->metadata.deletion_timestamp.has_value();
    if (record.terminating() && !was_going) HandleAssumedPodDelete(id);
    return;
  }
  ENGINE_LOG(log_, 4, "Update event for unscheduled pod", {{"pod", NameOf(*pod)}});
  // A nomination by preemption remains until the API has shown it.
  const std::string& old_node = before->status.nominated_node_name;
  const std::string& new_node = pod->status.nominated_node_name;
  if (!old_node.empty() || !new_node.empty()) NominateFromStatus(id);
  queue_.Update(before, id, *profile, changes, now());
  if (!old_node.empty() && old_node != new_node) HandleNominationEnd(before);
}

void EventHandlers::HandlePodDelete(const std::shared_ptr<const api::Pod>& pod) {
  const api::ObjectKey key{pod->metadata.namespace_, pod->metadata.name};
  const model::PodId id = cluster_.pods().Find(key.namespace_, key.name);
  if (!id.valid()) return;
  const std::shared_ptr<const api::Pod> last = cluster_.pod(id).object;
  const bool assigned = !last->spec.node_name.empty();
  const bool assumed = cluster_.pod(id).state == model::PodState::kAssumed;
  queue_.Remove(id);
  if (assumed) HandleAssumedPodDelete(id);
  cluster_.Remove<api::Pod>(key);
  if (cluster_.features().has_groups()) {
    if (const auto group = model::GroupNamedBy(*last)) CheckGatesOfGroup(*group);
  }
  if (assigned) {
    ENGINE_LOG(log_, 3, "Delete event for scheduled pod", {{"pod", NameOf(*last)}});
    return Move({.type = kAssignedPodDelete, .before = last});
  }
  if (!profiles_.For(*last)) return;
  ENGINE_LOG(log_, 3, "Delete event for unscheduled pod", {{"pod", NameOf(*last)}});
  if (!assumed && !last->status.nominated_node_name.empty()) HandleNominationEnd(last);
  handled_.push_back(kUnschedulablePodDelete);
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
