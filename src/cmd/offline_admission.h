// Defaulting of objects read from files, for `berth schedule`: the fields that an API server (and,
// for nodes, a kubelet) sets before a scheduler sees an object. The defaults of the API server are
// those of the embedded one (apiserver/admission).
//
// Deterministic: the same objects in the same order give the same result.
#pragma once

#include <cstddef>
#include <vector>

#include "api/object.h"
#include "apiserver/admission/priority_classes.h"
#include "base/result.h"
#include "base/time.h"
#include "scheduler/model/features.h"

namespace berth::cmd {

// Defaults a pod: the defaults of the API server, default tolerations, matchLabelKeys merged into
// selectors, priority and preemptionPolicy. Unlike kube-apiserver it accepts spec.priority, with
// and without a class, since dumps have both and hand-written files may lack the PriorityClass.
// Fails if the class is unknown and spec.priority is not set, or if the two differ.
Result<api::Ref<api::Pod>> AdmitPod(const api::Pod& pod,
                                    const apiserver::admission::PriorityClasses::Table& classes,
                                    const scheduler::model::Features& features = {});

// Defaults all objects of a cluster, in order, and appends missing Namespaces. Nodes get a capacity
// of 110 pods and the hostname label; a missing uid is derived from kind, namespace and name. The
// n-th object is created n milliseconds after `start`. The API server has the feature gates of the
// scheduler. The first `complete` objects, those of a live cluster, are not changed. The error
// names the object.
Result<std::vector<api::Object>> AdmitAll(const std::vector<api::Object>& objects, Instant start,
                                          const scheduler::model::Features& features = {},
                                          size_t complete = 0);

}  // namespace berth::cmd
