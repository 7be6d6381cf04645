// Snapshot is a whole cluster as plain API objects: what the twin looks at when it answers.
//
// Every rule reads it from scratch. A node's pods and a node's nominated pods are the only
// groupings there are; everything else is found by walking.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"

namespace berth::scheduler::reference {

// Objects of one kind by namespace and name; the namespace is empty for cluster-scoped kinds.
template <typename T>
using Table = std::map<api::ObjectKey, api::Ref<T>>;

struct Snapshot {
  Table<api::Node> nodes;
  // Pods by the name of their node, which need not exist.
  std::map<std::string, Table<api::Pod>, std::less<>> placed;
  // Waiting pods by the node that preemption made room on for them.
  std::map<std::string, Table<api::Pod>, std::less<>> nominated;
  Table<api::Namespace> namespaces;
  Table<api::Service> services;
  Table<api::ReplicationController> replication_controllers;
  Table<api::ReplicaSet> replica_sets;
  Table<api::StatefulSet> stateful_sets;
  Table<api::PersistentVolume> volumes;
  Table<api::PersistentVolumeClaim> claims;
  Table<api::StorageClass> storage_classes;
  Table<api::CsiNode> csi_nodes;
  Table<api::CsiDriver> csi_drivers;
  Table<api::CsiStorageCapacity> csi_capacities;
  Table<api::VolumeAttachment> attachments;
  Table<api::PodDisruptionBudget> budgets;
  // Volumes and claims as VolumeBinding has decided that they will be, where that is not written
  // yet. Of the rules only VolumeBinding looks here; each of them is in the tables above as well.
  Table<api::PersistentVolume> assumed_volumes;
  Table<api::PersistentVolumeClaim> assumed_claims;

  // Adds the object, or replaces the one of the same key. A pod goes to its node or, if it waits,
  // to its nominated node; a finished pod and one that waits without a nomination go nowhere.
  void Put(const api::Object& object);
  // Removes the object with this kind and key, if it is there.
  void Remove(const api::Object& object);

  // The pods on the node; none if there is no such node.
  const Table<api::Pod>& PodsOn(std::string_view node) const;
  const Table<api::Pod>& NominatedTo(std::string_view node) const;
};

// nullptr if there is none.
template <typename T>
const T* Find(const Table<T>& table, std::string namespace_, std::string name) {
  const auto found = table.find({std::move(namespace_), std::move(name)});
  return found == table.end() ? nullptr : found->second.get();
}

template <typename T>
const T* Find(const Table<T>& table, std::string name) {
  return Find(table, "", std::move(name));
}

// nullptr if the object has no such label or annotation.
inline const std::string* Find(const api::StringMap& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? nullptr : &found->second;
}

template <typename Range, typename T>
bool Contains(const Range& range, const T& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

// NodeOrder lists the nodes of a world as a scheduler does that has just read them: the zones take
// turns, in the order of their first nodes; within a zone nodes go by name.
std::vector<std::string> NodeOrder(const Snapshot& world);

}  // namespace berth::scheduler::reference
