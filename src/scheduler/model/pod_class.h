// PodClass is what pods of one template have in common: everything in their spec that a scheduling
// rule reads, compiled once. kube-scheduler's nearest word is the pod signature.
//
// Most pods are copies, so most of the work of a decision is done per class and cached with it. Two
// pods have the same class exactly if their namespaces and the scheduling-relevant fields of their
// specs are equal (and, for a pod being resized, the resources in its status). Labels and owners
// are not part of a class: the replicas of a StatefulSet differ in their labels.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/pod.h"
#include "api/pod_resources.h"
#include "scheduler/model/features.h"
#include "scheduler/model/ids.h"
#include "scheduler/model/resources.h"

namespace berth::scheduler::model {

struct PodClass {
  PodClass(SymbolTable& names, ScalarNames& scalars) : symbols(names), scalar_names(scalars) {}

  PodClassId id;
  SymbolHolder symbols;
  ScalarHolder scalar_names;  // Of its requests.
  Symbol namespace_;
  int32_t priority = 0;

  // The first pod of this class, without what is its own: it has a namespace, the spec that is that
  // of all, except nodeName, and the resources in the status. The name is that of the first pod; it
  // matters only for pods that are alone in their class.
  api::Pod example;
  std::string node_name;  // The node that a pod names before it is bound.

  ResourceVector requests;             // What the pod needs free on a node.
  ResourceVector placed;               // What it requests on its node, resizes included.
  api::NonZeroRequest placed_nonzero;  // The same for scores, with defaults for absent requests.
  std::vector<HostPort> host_ports;
  bool has_pod_affinity = false;  // Some podAffinity or podAntiAffinity is given.
  bool uses_storage = false;      // Some volume has a claim or may be a CSI volume.
  std::vector<Symbol> claims;     // Names of its PersistentVolumeClaims, in order of its volumes.

  const api::PodSpec& spec() const { return example.spec; }
};

// Returns the bytes that identify a pod's class; equal for pods of one class and different for
// others. The node a pod is bound to is left out unless `with_node_name`.
std::string PodClassKey(const api::Pod& pod, bool with_node_name);

// Compiles `pod`. `id` remains invalid.
PodClass CompilePodClass(const api::Pod& pod, bool with_node_name, SymbolTable& symbols,
                         ScalarNames& scalars, const Features& features = {});

// PodClasses finds or creates the class of a pod and counts its members.
//
// A class without members is retained for a while, since the next replica is often not far. Those
// that are retained are limited in number and size; the classes that have been empty longest are
// removed first.
class PodClasses {
 public:
  PodClasses(SymbolTable& symbols, ScalarNames& scalars, const Features& features = {})
      : symbols_(symbols), scalars_(scalars), features_(features) {}

  // Returns the class of `pod` and counts one more member. `with_node_name`: see PodClassKey.
  PodClassId Acquire(const api::Pod& pod, bool with_node_name);
  void Retain(PodClassId id) { ++slots_[id.index()].members; }
  void Release(PodClassId id);

  // Removes the classes without members that have been empty longest, until there are no more than
  // `number`, whose keys take no more than `bytes`.
  void DropEmpty(size_t number, size_t bytes);

  const PodClass& Get(PodClassId id) const { return *slots_[id.index()].compiled; }
  // Distinguishes classes that had the same id one after the other.
  uint64_t serial(PodClassId id) const { return slots_[id.index()].serial; }
  // An upper bound of all ids.
  size_t capacity() const { return slots_.size(); }
  // The number of classes, and how many were removed so far.
  size_t size() const { return ids_.size(); }
  uint64_t removed() const { return removed_; }

 private:
  static constexpr size_t kMaxEmptyClasses = 1024;
  // Of the keys of empty classes. A class takes several times the bytes of its key.
  static constexpr size_t kMaxEmptyBytes = size_t{4} << 20;

  struct Slot {
    std::unique_ptr<const PodClass> compiled;
    const std::string* key = nullptr;  // Points into ids_.
    uint32_t members = 0;
    uint64_t serial = 0;
    uint64_t emptied = 0;  // When it last became empty; matches its entry in empty_.
  };

  SymbolTable& symbols_;
  ScalarNames& scalars_;
  const Features features_;
  std::unordered_map<std::string, PodClassId> ids_;
  std::vector<Slot> slots_;
  std::vector<PodClassId> free_;
  std::deque<std::pair<PodClassId, uint64_t>>
      empty_;  // With Slot::emptied, to skip classes refilled since.
  size_t empty_bytes_ = 0;
  uint64_t removed_ = 0;
  uint64_t next_serial_ = 1;
};

}  // namespace berth::scheduler::model
