// The text of /metrics/resources: the requests and limits of each pod.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/pod.h"
#include "scheduler/model/cluster.h"

namespace berth::observability::scheduling {

// PodSlices reads the pods of a cluster in several calls, so that none takes long.
//
// For the engine's thread; the pods may be read on any: objects do not change.
class PodSlices {
 public:
  // Appends up to `limit` pods, by id. Returns false if there are no more. Pods that are added
  // after the first call may be missing.
  bool Read(const scheduler::model::Cluster& cluster, size_t limit,
            std::vector<std::shared_ptr<const api::Pod>>& out);

 private:
  static constexpr size_t kIdsPerPod = 16;

  uint32_t next_ = 0;
  std::optional<uint32_t> end_;  // More than any id of the first call.
};

using PodRefs = std::span<const std::shared_ptr<const api::Pod>>;

// Returns the gauges kube_pod_resource_limit and kube_pod_resource_request of every unfinished pod,
// in the order given. Omits zero quantities.
std::string ResourceMetricsText(PodRefs pods);

}  // namespace berth::observability::scheduling
