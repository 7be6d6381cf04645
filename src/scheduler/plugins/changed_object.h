// What the plugins' queueing hints share: reading the object of an event, and matching pods and
// claims with it.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "api/object.h"
#include "base/result.h"
#include "scheduler/framework/cluster_event.h"
#include "scheduler/model/pod_table.h"

namespace berth::scheduler::plugins {

// The object of an event before and after; at least one is given.
template <typename T>
struct Change {
  const T* before = nullptr;  // Null if it was added.
  const T* after = nullptr;   // Null if it was deleted.
};

// Returns the change; fails if the event has no object of kind T, or one of another kind.
template <typename T>
Result<Change<T>> ChangeOf(const framework::ClusterEvent& event) {
  const Change<T> change{event.BeforeAs<T>(), event.AfterAs<T>()};
  const bool other_kind = (event.before && !change.before) || (event.after && !change.after);
  if (other_kind || (change.before == nullptr && change.after == nullptr)) {
    return Fail(fmt::format("{}: the event has no {}", event.Label(), api::KindOf<T>().kind));
  }
  return change;
}

// The same for events that leave the object in place: fails if it was deleted.
template <typename T>
Result<Change<T>> UpdateOf(const framework::ClusterEvent& event) {
  auto change = ChangeOf<T>(event);
  if (change && change->after == nullptr) {
    return Fail(fmt::format("{}: the {} is gone", event.Label(), api::KindOf<T>().kind));
  }
  return change;
}

// Returns the last version of the object; fails if it was added.
template <typename T>
Result<const T*> RemovalOf(const framework::ClusterEvent& event) {
  const auto change = ChangeOf<T>(event);
  if (!change) return std::unexpected(change.error());
  if (change->before == nullptr) {
    return Fail(fmt::format("{}: there was no {} before", event.Label(), api::KindOf<T>().kind));
  }
  return change->before;
}

// Returns the kind of object that the event is about; kPod for all kinds of pods.
inline framework::Resource KindOf(const framework::ClusterEvent& event) {
  const framework::Resource resource = event.type.resource;
  const bool pod = resource == framework::Resource::kAssignedPod ||
                   resource == framework::Resource::kUnschedulablePod;
  return pod ? framework::Resource::kPod : resource;
}

inline bool IsSamePod(const model::PodRecord& pod, const api::Pod& other) {
  return pod.uid() == other.metadata.uid;
}

// Reports whether the pod occupies capacity of a node: it runs there, or is nominated to it.
inline bool UsesCapacity(const api::Pod& pod) {
  return !pod.spec.node_name.empty() || !pod.status.nominated_node_name.empty();
}

// Reports whether a volume of the pod names `claim`.
bool NamesClaim(const api::Pod& pod, const api::PersistentVolumeClaim& claim);
// The same, or whether `claim` has the name of one created for the pod.
bool UsesClaim(const api::Pod& pod, const api::PersistentVolumeClaim& claim);

}  // namespace berth::scheduler::plugins
