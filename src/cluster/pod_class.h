// PodClass is what pods of one template have in common: everything in their spec that a scheduling
// rule reads, compiled once.
//
// Most pods are copies, so most of the work of a decision is done per class and kept with it. Two
// pods have the same class exactly if their namespaces and the scheduling-relevant fields of their
// specs are equal (and, for a pod being resized, the resources in its status). Labels and owners
// are not part of a class: the replicas of a StatefulSet differ in their labels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/pod.h"
#include "api/pod_resources.h"
#include "cluster/host_ports.h"
#include "cluster/ids.h"
#include "cluster/resources.h"

namespace berth {

struct PodClass {
  PodClassId id;
  Symbol namespace_;
  int32_t priority = 0;

  // The first pod seen of this class; its spec stands for all, but for nodeName. Its metadata is
  // its own.
  std::shared_ptr<const api::Pod> example;
  std::string node_name;  // The node that a pod asks for by name before it is bound.

  ResourceVector requests;             // What the pod needs free on a node.
  ResourceVector placed;               // What it counts for on its node, resizes included.
  api::NonZeroRequest placed_nonzero;  // The same for scores, with stand-ins for absent requests.
  std::vector<HostPort> host_ports;
  bool has_pod_affinity = false;  // Some podAffinity or podAntiAffinity is given.
  bool uses_storage = false;      // Some volume has a claim or may be a CSI volume.
  std::vector<Symbol> claims;     // Names of its PersistentVolumeClaims, in order of its volumes.

  const api::PodSpec& spec() const { return example->spec; }
};

// The bytes that decide a pod's class; equal for pods of one class and different for others. The
// node a pod is bound to is left out unless `with_node_name`.
std::string PodClassKey(const api::Pod& pod, bool with_node_name);

// Compiles `pod`. `id` stays invalid.
PodClass CompilePodClass(std::shared_ptr<const api::Pod> pod, bool with_node_name,
                         SymbolTable& symbols, ScalarNames& scalars);

}  // namespace berth
