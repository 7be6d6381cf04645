// Snapshot is a whole cluster as plain API objects, the input of the reference implementation.
//
// Every rule reads it from scratch. Pods are grouped by node and by nominated node; everything else
// is found by iteration.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"

namespace berth::scheduler::reference {

// Objects of one kind by namespace and name; the namespace is empty for cluster-scoped kinds.
template <typename T>
using Table = std::map<api::ObjectKey, api::Ref<T>>;

// What the scheduler knows about devices and the API does not show.
struct DeviceKnowledge {
  // Claims with the devices that were reserved for them and are not written yet, by UID.
  std::map<std::string, api::Ref<api::ResourceClaim>, std::less<>> in_flight;
  // The class of each extended resource that is backed by one. It depends on the order in which the
  // scheduler saw the classes; if absent, it is that of a list by name.
  std::optional<std::map<std::string, api::Ref<api::DeviceClass>, std::less<>>> class_by_resource;
};

struct Snapshot {
  Table<api::Node> nodes;
  // Pods by the name of their node, which need not exist.
  std::map<std::string, Table<api::Pod>, std::less<>> placed;
  // Pending pods by their nominated node.
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
  // With what the scheduler has written and the API has not shown yet.
  Table<api::ResourceClaim> resource_claims;
  Table<api::DeviceClass> device_classes;
  Table<api::ResourceSlice> resource_slices;
  // Volumes and claims as VolumeBinding assumes them, where that is not written yet. Only the
  // VolumeBinding rule reads them; each is in the tables above as well.
  Table<api::PersistentVolume> assumed_volumes;
  Table<api::PersistentVolumeClaim> assumed_claims;
  DeviceKnowledge devices;

  // Inserts or replaces the object. A pod is stored under its node or, if pending, its nominated
  // node; finished pods and pending pods without a nomination are not stored.
  void Put(const api::Object& object);
  // Removes the object with this kind and key, if present.
  void Remove(const api::Object& object);

  // Returns the pods on the node; empty if the node does not exist.
  const Table<api::Pod>& PodsOn(std::string_view node) const;
  const Table<api::Pod>& NominatedTo(std::string_view node) const;
};

// Returns nullptr if there is none.
template <typename T>
const T* Find(const Table<T>& table, std::string namespace_, std::string name) {
  const auto found = table.find({std::move(namespace_), std::move(name)});
  return found == table.end() ? nullptr : found->second.get();
}

template <typename T>
const T* Find(const Table<T>& table, std::string name) {
  return Find(table, "", std::move(name));
}

// Returns the label's or annotation's value, or nullptr.
inline const std::string* Find(const api::StringMap& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? nullptr : &found->second;
}

template <typename Range, typename T>
bool Contains(const Range& range, const T& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

// Returns the nodes in the order of a scheduler that has just started: round-robin over zones,
// which are ordered by their first nodes; by name within a zone.
std::vector<std::string> NodeOrder(const Snapshot& snapshot);

}  // namespace berth::scheduler::reference
