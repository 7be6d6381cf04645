// The text of /metrics/resources: the requests and limits of each pod.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/pod.h"
#include "scheduler/model/cluster.h"

namespace berth::observability::scheduling {

// Returns the pods of the model as last received from the API. Must be called on the engine's
// thread; the immutable pods may be read on any.
std::vector<std::shared_ptr<const api::Pod>> PodsOf(const scheduler::model::Cluster& cluster);

using PodRefs = std::span<const std::shared_ptr<const api::Pod>>;

// Returns the gauges kube_pod_resource_limit and kube_pod_resource_request of every unfinished pod,
// in the order given. Omits zero quantities.
std::string ResourceMetricsText(PodRefs pods);

}  // namespace berth::observability::scheduling
