// Cluster is the model that the engine decides on: what nodes there are, what runs on them, and the
// other objects that scheduling rules read.
//
// It is fed objects in any order: a pod may come before its node, and a node may go while its pods
// stay. After any sequence of changes the model equals one built afresh from the objects that
// remain (and the pods that are assumed). Owned by the engine thread.
#pragma once

#include <memory>
#include <tuple>

#include "api/object.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/labels.h"
#include "scheduler/model/node_table.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_class.h"
#include "scheduler/model/pod_counters.h"
#include "scheduler/model/pod_labels.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/model/storage_model.h"

namespace berth::scheduler::model {

class Cluster {
 public:
  Cluster() = default;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // --- reading ---

  const NodeTable& nodes() const { return nodes_; }
  const PodTable& pods() const { return pods_; }
  const PodRecord& pod(PodId id) const { return pods_.Get(id); }
  const PodClass& pod_class(PodClassId id) const { return classes_.Get(id); }
  const PodClass& class_of(const PodRecord& pod) const { return classes_.Get(pod.pod_class); }
  const PodClasses& classes() const { return classes_; }
  const Labels& labels_of(const PodRecord& pod) const { return pod_labels_.Get(pod.labels).labels; }
  const PodLabelsTable& pod_labels() const { return pod_labels_; }
  const Namespaces& namespaces() const { return namespaces_; }
  const AffinityTerms& affinity_terms() const { return affinity_terms_; }
  const Nominations& nominations() const { return nominations_; }
  const Storage& storage() const { return storage_; }
  const Preemptions& preemptions() const { return preemptions_; }
  const SymbolTable& symbols() const { return symbols_; }
  const ScalarNames& scalars() const { return scalars_; }
  // The objects of kind T, for each kind that has no table of its own.
  template <typename T>
  const Objects<T>& objects() const {
    return std::get<Objects<T>>(objects_);
  }

  // A number that grows with every change that may change a decision.
  uint64_t version() const { return version_; }

  // --- objects, as the API reports them ---

  // Adds or replaces the object. A finished pod counts as removed.
  void Put(const api::Object& object);
  // Removes the object; returns false if it was not known. T is any kind of api::Object.
  template <typename T>
  bool Remove(const api::ObjectKey& key);

  // Adds or replaces a pod and returns its id, or an invalid one if it is finished. An assumed pod
  // that comes with a node is thereby confirmed, on that node; one that comes without stays
  // assumed.
  PodId PutPod(std::shared_ptr<const api::Pod> pod);

  // --- what the engine has decided ---

  // Counts the pending pod as running on `node` until it is confirmed or forgotten.
  void Assume(PodId pod, NodeRow node);
  // Takes an assumed pod back: it is pending again.
  void Forget(PodId pod);
  // How many pods are on a node, assumed ones included, and how many are assumed.
  size_t placed_pods() const { return placed_pods_; }
  size_t assumed_pods() const { return assumed_pods_; }
  void Nominate(PodId pod, Symbol node) {
    if (nominations_.NodeOf(pod) == node) return;
    ++version_;
    nominations_.Set(pod, node);
  }
  Preemptions& mutable_preemptions() { return preemptions_; }
  // For what is decided about volumes and claims.
  Storage& mutable_storage() {
    ++version_;
    return storage_;
  }

  // --- trying things out ---

  // Counts `pod` as running on `node`, or no longer, without anyone noticing: the pod's record
  // stays as it is, and kept results do not hear of it. The opposite call must follow before
  // anything else changes.
  void TryAddPod(const PodRecord& pod, NodeRow node);
  void TryRemovePod(const PodRecord& pod, NodeRow node);

  // --- what rules prepare ---

  TopologyKeyId UseTopologyKey(Symbol label) { return nodes_.UseTopologyKey(label); }
  // A counter of placed pods, kept current while it is held; `keys` are the topology keys to sum it
  // by.
  std::shared_ptr<const PodCounter> CountPods(const PodQuery& query,
                                              std::span<const TopologyKeyId> keys);
  // The id of a scalar resource; from now on nodes have a column for it.
  ScalarId UseScalar(std::string_view name);
  SymbolTable& mutable_symbols() { return symbols_; }

  // A record for a pod that is not in the cluster, to ask what would become of it.
  PodRecord MakeHypotheticalPod(std::shared_ptr<const api::Pod> pod);
  // A copy of a pod's record that stays usable when the pod goes.
  PodRecord Retain(PodId pod);
  // Both are given back with this.
  void Release(const PodRecord& record);

  // Keeps the row for the node's name, though the node and its pods may go, until it is released.
  void HoldRow(NodeRow row) { nodes_.HoldRow(row); }
  void ReleaseRow(NodeRow row) { nodes_.ReleaseRow(row); }

 private:
  void UnplacePod(PodRecord& record);
  void PutNode(std::shared_ptr<const api::Node> node);
  bool RemoveNode(const std::string& name);
  // Tells all counts that `pod` is now, or no longer, on `row`.
  void Count(const PodRecord& pod, NodeRow row, int32_t delta);
  void CountAllOn(NodeRow row, int32_t delta);
  PodCounters::ForEachPod EachPlacedPod() const;
  void NamespacesChanged();
  void DropPod(PodId id);
  void Describe(PodRecord& record, bool with_node_name);

  uint64_t version_ = 0;
  SymbolTable symbols_;
  ScalarNames scalars_;
  NodeTable nodes_{symbols_, scalars_};
  PodClasses classes_{symbols_, scalars_};
  PodLabelsTable pod_labels_;
  Namespaces namespaces_;
  PodCounters counters_{symbols_, pod_labels_, namespaces_, nodes_.topology()};
  AffinityTerms affinity_terms_{symbols_, pod_labels_, namespaces_};
  PodTable pods_;
  size_t placed_pods_ = 0, assumed_pods_ = 0;
  Nominations nominations_;
  Preemptions preemptions_;
  std::tuple<Objects<api::Namespace>, Objects<api::Service>, Objects<api::ReplicationController>,
             Objects<api::ReplicaSet>, Objects<api::StatefulSet>, Objects<api::PersistentVolume>,
             Objects<api::PersistentVolumeClaim>, Objects<api::StorageClass>, Objects<api::CsiNode>,
             Objects<api::CsiDriver>, Objects<api::CsiStorageCapacity>,
             Objects<api::VolumeAttachment>, Objects<api::PodDisruptionBudget>,
             Objects<api::PriorityClass>, Objects<api::ResourceClaim>, Objects<api::DeviceClass>,
             Objects<api::ResourceSlice>>
      objects_;
  Storage storage_{pods_, std::get<Objects<api::PersistentVolumeClaim>>(objects_), symbols_};
};

template <typename T>
bool Cluster::Remove(const api::ObjectKey& key) {
  ++version_;
  if constexpr (std::is_same_v<T, api::Pod>) {
    const PodId id = pods_.Find(key.namespace_, key.name);
    if (!id.valid()) return false;
    DropPod(id);
    return true;
  } else if constexpr (std::is_same_v<T, api::Node>) {
    return RemoveNode(key.name);
  } else {
    const bool removed = std::get<Objects<T>>(objects_).Remove(key);
    storage_.Remove<T>(key);
    if constexpr (std::is_same_v<T, api::Namespace>) {
      if (namespaces_.Remove(symbols_.Find(key.name))) NamespacesChanged();
    }
    return removed;
  }
}

}  // namespace berth::scheduler::model
