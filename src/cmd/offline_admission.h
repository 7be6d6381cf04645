// Completes objects written by hand the way an API server (and, for nodes, a kubelet) does before
// the scheduler sees them. Defaults are the embedded API server's own (apiserver/admission); only
// what is no server's job is here.
//
// Everything is deterministic: the same objects in the same order give the same result.
#pragma once

#include <vector>

#include "api/object.h"
#include "apiserver/admission/priority_classes.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::cmd {

// Completes a pod: the server's defaults, default tolerations and label keys merged into selectors,
// a priority. More lenient than the server, since a pod dumped from a cluster has both a priority
// class and a priority: fails only if the class is unknown and there is no priority, or if the two
// differ.
Result<api::Ref<api::Pod>> AdmitPod(const api::Pod& pod,
                                    const apiserver::admission::PriorityClasses::Table& classes);

// Completes all objects of a cluster, in the same order, and adds the namespaces that are missing.
// Nodes get a capacity of 110 pods and the hostname label; objects without a uid get one made from
// kind, namespace and name. The n-th object counts as created n milliseconds after `start`. The
// error names the object.
Result<std::vector<api::Object>> AdmitAll(const std::vector<api::Object>& objects, Instant start);

}  // namespace berth::cmd
