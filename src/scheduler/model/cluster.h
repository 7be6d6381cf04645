// Cluster is the model that the engine decides on: the nodes, the pods on them, and the other
// objects that scheduling rules read.
//
// Objects may arrive in any order: a pod may precede its node, and a node may be deleted while its
// pods remain. After any sequence of changes the model equals one built from scratch out of the
// remaining objects (and the assumed pods). Owned by the engine thread.
//
// Volumes (storage_model.h), devices (device_model.h), counters and affinity terms
// (pod_counters.h), selectors of Services and controllers (owner_selectors.h), groups of pods
// (pod_groups.h) and the objects by kind (objects.h) are only declared here: files that read them
// include their headers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/object_fwd.h"
#include "scheduler/model/features.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/labels.h"
#include "scheduler/model/node_table.h"
#include "scheduler/model/pod_class.h"
#include "scheduler/model/pod_labels.h"
#include "scheduler/model/pod_table.h"
#include "scheduler/model/topology.h"

namespace berth::scheduler::model {

class AffinityTerms;
class Devices;
template <typename T>
class Objects;
class OwnerSelectors;
class PodCounter;
class PodCounters;
class PodGroups;
struct PodQuery;
class Storage;

class Cluster {
 public:
  explicit Cluster(const Features& features = {});
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // --- reading ---

  // The feature gates of the engine. They never change.
  const Features& features() const { return features_; }
  const NodeTable& nodes() const { return nodes_; }
  const PodTable& pods() const { return pods_; }
  const PodRecord& pod(PodId id) const { return pods_.Get(id); }
  const PodClass& pod_class(PodClassId id) const { return classes_.Get(id); }
  const PodClass& class_of(const PodRecord& pod) const { return classes_.Get(pod.pod_class); }
  const PodClasses& classes() const { return classes_; }
  const Labels& labels_of(const PodRecord& pod) const { return pod_labels_.Get(pod.labels).labels; }
  const PodLabelsTable& pod_labels() const { return pod_labels_; }
  const Namespaces& namespaces() const { return namespaces_; }
  const AffinityTerms& affinity_terms() const { return *affinity_terms_; }
  const PodCounters& counters() const { return *counters_; }
  const Nominations& nominations() const { return nominations_; }
  const Storage& storage() const { return *storage_; }
  const Devices& devices() const { return *devices_; }
  const OwnerSelectors& owner_selectors() const { return *owner_selectors_; }
  const Preemptions& preemptions() const { return preemptions_; }
  // The members of groups. Empty without the feature GenericWorkload: pods then have no groups.
  const PodGroups& groups() const { return *groups_; }
  const SymbolTable& symbols() const { return symbols_; }
  const ScalarNames& scalars() const { return scalars_; }
  // The objects of kind T: any kind of api::Object but pods and nodes, which have their own tables.
  template <typename T>
  const Objects<T>& objects() const;

  // A number that grows with every change that may change a decision: not with the pods that wait
  // for a node, unless a node is nominated for them or they are in a group.
  uint64_t version() const { return version_; }

  // --- objects, as the API reports them ---

  // Adds or replaces the object. A finished pod counts as removed. T is any kind of api::Object.
  template <typename T>
  void Put(const std::shared_ptr<const T>& object);
  void Put(const api::Object& object);
  // Removes the object; returns false if it was not known. T is any kind of api::Object.
  template <typename T>
  bool Remove(const api::ObjectKey& key);

  // Adds or replaces a pod and returns its id, or an invalid one if it is finished. An assumed pod
  // that arrives with a node is confirmed, on that node; one that arrives without remains assumed.
  PodId PutPod(std::shared_ptr<const api::Pod> pod);

  // --- what the engine has decided ---

  // Counts the pending pod as running on `node` until it is confirmed or forgotten.
  void Assume(PodId pod, NodeRow node);
  // Reverts Assume: the pod is pending again.
  void Forget(PodId pod);
  // The number of pods on nodes, assumed ones included, and of assumed pods.
  size_t placed_pods() const { return placed_pods_; }
  size_t assumed_pods() const { return assumed_pods_; }
  void Nominate(PodId pod, Symbol node) {
    if (nominations_.NodeOf(pod) == node) return;
    ++version_;
    SetNomination(pod, node);
  }
  // The same, by name; an empty one clears it. The node need not exist.
  void NominateByName(PodId pod, const std::string& node) {
    SymbolHolder holder(symbols_);
    Nominate(pod, node.empty() ? Symbol{} : holder.Intern(node));
  }
  Preemptions& mutable_preemptions() { return preemptions_; }
  PodGroups& mutable_groups() { return *groups_; }
  // For decisions about volumes and claims.
  Storage& mutable_storage() {
    ++version_;
    return *storage_;
  }

  // For decisions about devices and their claims.
  Devices& mutable_devices() {
    ++version_;
    return *devices_;
  }

  // --- dry runs ---

  // Counts `pod` as running on `node`, or no longer, without a trace: the pod's record does not
  // change, and neither do version() and the log of changed rows, so that cached results remain.
  // The opposite call must follow before anything else changes.
  void TryAddPod(const PodRecord& pod, NodeRow node);
  void TryRemovePod(const PodRecord& pod, NodeRow node);

  // The same for nothing but the sums of what pods request: see NodeTable.
  void TryAddSums(NodeRow node, const ResourceVector& amounts, int64_t pods) {
    nodes_.TryAddSums(node, amounts, pods);
  }
  void TrySubtractSums(NodeRow node, const ResourceVector& amounts, int64_t pods) {
    nodes_.TrySubtractSums(node, amounts, pods);
  }
  void TrySwapSums(PodSums& sums) { nodes_.TrySwapSums(sums); }

  // Counts a pod that has a node as running nowhere, until PutBack; its record does not change.
  // Unlike in a dry run, the row counts as changed: any number of pods may be taken off while
  // others are evaluated.
  void TakeOff(PodId pod);
  void PutBack(PodId pod);

  // --- what rules prepare ---

  // Returns the topology key `label`, which stays current while it is referenced.
  Topology::KeyRef UseTopologyKey(std::string_view label) { return nodes_.UseTopologyKey(label); }
  // Returns a counter of placed pods that stays current while it is referenced, with sums by the
  // topology keys `keys`.
  std::shared_ptr<const PodCounter> CountPods(const PodQuery& query,
                                              std::span<const Topology::KeyRef> keys);
  // For holders: see base/symbol_table.h.
  SymbolTable& mutable_symbols() { return symbols_; }
  ScalarNames& mutable_scalars() { return scalars_; }

  // Returns a record for a pod that is not in the cluster, to evaluate it.
  PodRecord MakeHypotheticalPod(std::shared_ptr<const api::Pod> pod);
  // Returns a copy of a pod's record that remains usable when the pod is deleted.
  PodRecord Retain(PodId pod);
  // Must be called once for each record that the two above return.
  void Release(const PodRecord& record);

  // Removes what is retained only because it may be needed again.
  void DropUnused();

  // Reserves the row for the node's name until it is released, even if the node and its pods are
  // deleted.
  void HoldRow(NodeRow row) { nodes_.HoldRow(row); }
  void ReleaseRow(NodeRow row) { nodes_.ReleaseRow(row); }

 private:
  struct ObjectTables;

  void SetNomination(PodId pod, Symbol node);
  // Records that a pod nominated to `node` changed, which results for the node depend on.
  void NominatedPodChanged(Symbol node);
  void UnplacePod(PodRecord& record);
  void PutNode(const std::shared_ptr<const api::Node>& node);
  bool RemoveNode(const std::string& name);
  void FillNewColumns();
  // Adds `delta` to all counts of `pod` on `row`.
  void Count(const PodRecord& pod, NodeRow row, int32_t delta);
  void CountAllOn(NodeRow row, int32_t delta);
  void NamespacesChanged();
  void DropPod(PodId id);
  void Describe(PodRecord& record, bool with_node_name);
  bool IsInGroup(const PodRecord& record) const;

  const Features features_;
  uint64_t version_ = 0;
  SymbolTable symbols_;
  ScalarNames scalars_;
  NodeTable nodes_{symbols_, scalars_,
                   [this](PodId pod) -> const PodClass& { return class_of(pods_.Get(pod)); }};
  PodClasses classes_{symbols_, scalars_, features_};
  PodLabelsTable pod_labels_{symbols_};
  Namespaces namespaces_{symbols_};
  PodTable pods_;
  size_t placed_pods_ = 0, assumed_pods_ = 0;
  Nominations nominations_{symbols_};
  Preemptions preemptions_;
  std::unique_ptr<ObjectTables> objects_;
  std::unique_ptr<OwnerSelectors> owner_selectors_;
  std::unique_ptr<PodGroups> groups_;
  std::unique_ptr<PodCounters> counters_;
  std::unique_ptr<AffinityTerms> affinity_terms_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<Devices> devices_;
};

}  // namespace berth::scheduler::model
