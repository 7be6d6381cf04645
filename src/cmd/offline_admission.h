// Defaulting of objects read from files, for `berth schedule`: the fields that an API server (and,
// for nodes, a kubelet) sets before a scheduler sees an object.
//
// Deterministic: the same objects in the same order give the same result.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::cmd {

// PriorityClasses finds PriorityClasses by name. The two system classes are always present.
class PriorityClasses {
 public:
  PriorityClasses();

  void Put(const api::PriorityClass& priority_class);
  // Returns nullptr if there is no such class.
  const api::PriorityClass* Find(const std::string& name) const;
  // Returns the global default, or nullptr. If several classes are marked, the one with the lowest
  // value is used, as in kube-apiserver.
  const api::PriorityClass* Default() const;

 private:
  std::map<std::string, api::PriorityClass, std::less<>> classes_;
};

// Defaults a pod: namespace, schedulerName, priority and preemptionPolicy, requests from limits,
// host ports with hostNetwork, the two default tolerations, matchLabelKeys merged into selectors.
// Unlike kube-apiserver it accepts spec.priority without a class, since dumps and hand-written
// files may lack the PriorityClass. Fails if the class is unknown and spec.priority is not set, or
// if the two differ.
Status AdmitPod(api::Pod& pod, const PriorityClasses& classes);

// Defaults a node: allocatable from capacity, a capacity of 110 pods, the hostname label.
void AdmitNode(api::Node& node);

// Sets a missing uid, derived from kind, namespace and name, and a missing creationTimestamp.
void AdmitMeta(api::ObjectMeta& meta, std::string_view kind, Instant now);

// Defaults all objects of a cluster, in order, and appends missing Namespaces. The n-th object is
// created n milliseconds after `start`. The error names the object.
Result<std::vector<api::Object>> AdmitAll(const std::vector<api::Object>& objects, Instant start);

}  // namespace berth::cmd
