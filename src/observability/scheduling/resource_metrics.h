// The text of /metrics/resources: what each pod requests and may use at most.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/pod.h"
#include "scheduler/model/cluster.h"

namespace berth::observability::scheduling {

// The pods that the model holds, as the API last showed them. For the engine's thread; the list may
// be read on any: objects do not change.
std::vector<std::shared_ptr<const api::Pod>> PodsOf(const scheduler::model::Cluster& cluster);

using PodRefs = std::span<const std::shared_ptr<const api::Pod>>;

// The gauges kube_pod_resource_limit and kube_pod_resource_request of every pod that has not
// finished, in the order given. Quantities of zero are left out.
std::string ResourceMetricsText(PodRefs pods);

}  // namespace berth::observability::scheduling
