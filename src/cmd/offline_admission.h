// Admission completes objects that people write by hand, with what an API server (and, for nodes, a
// kubelet) would have filled in before the scheduler sees them.
//
// Everything is deterministic: the same objects in the same order give the same result.
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

// PriorityClasses resolves the names of priority classes; the two of the system are always there.
class PriorityClasses {
 public:
  PriorityClasses();

  void Put(const api::PriorityClass& priority_class);
  // nullptr if there is no such class.
  const api::PriorityClass* Find(const std::string& name) const;
  // The class of pods that name none, or nullptr. Of several marked as global default, the one with
  // the lowest value counts.
  const api::PriorityClass* Default() const;

 private:
  std::map<std::string, api::PriorityClass, std::less<>> classes_;
};

// Completes a pod: namespace, schedulerName, priority and preemptionPolicy, requests from limits,
// host ports of pods on the host's network, default tolerations, matchLabelKeys merged into
// selectors. Fails if the priority class is unknown, or contradicts the priority that is given.
Status AdmitPod(api::Pod& pod, const PriorityClasses& classes);

// Completes a node: allocatable from capacity, room for 110 pods, the hostname label.
void AdmitNode(api::Node& node);

// Gives what has none a uid made from kind, namespace and name, and a creation time.
void AdmitMeta(api::ObjectMeta& meta, std::string_view kind, Instant now);

// Completes all objects of a cluster, and adds the namespaces that they live in where those are
// missing. The n-th object counts as created n milliseconds after `start`. The order is kept. The
// error names the object.
Result<std::vector<api::Object>> AdmitAll(const std::vector<api::Object>& objects, Instant start);

}  // namespace berth::cmd
