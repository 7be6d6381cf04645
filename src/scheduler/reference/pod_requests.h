// What a pod requests of each resource.
//
// The same results as api/pod_resources.h, which the plugins use, computed in another way: one
// resource after the other, over all containers.
#pragma once

#include "api/pod.h"
#include "api/quantity.h"
#include "scheduler/model/features.h"

namespace berth::scheduler::reference {

struct RequestOptions {
  bool use_status = false;          // A placed pod: count what a resize has allocated, too.
  bool skip_pod_level = false;      // Ignore spec.resources.
  bool resize_pod_level = true;     // With `use_status`: a resize of spec.resources counts, too.
  api::ResourceList defaults = {};  // What a container requests that does not say.
};

// How the requests of a pod on its node are counted.
RequestOptions PlacedRequests(const model::Features& features);

api::ResourceList RequestsOf(const api::Pod& pod, const RequestOptions& options);

// Returns the requests of a placed pod for scoring: a container without a request of cpu or memory
// counts with a default, if the pod has no pod-level request that says more.
api::ResourceList NonZeroRequestsOf(const api::Pod& pod, const model::Features& features = {});

// The default requests for scoring: 100m cpu, 200Mi memory.
api::ResourceList DefaultRequests();

}  // namespace berth::scheduler::reference
