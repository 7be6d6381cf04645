// The resource requests of a pod: containers, init containers, sidecars, overhead and pod-level
// resources, aggregated as in kube-scheduler v1.36.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/pod.h"
#include "api/quantity.h"

namespace berth::api {

// The requests that scores assume for containers without requests.
inline constexpr int64_t kDefaultMilliCpu = 100;
inline constexpr int64_t kDefaultMemory = 200 * 1024 * 1024;

struct PodRequestOptions {
  bool use_status = false;        // Count what a resize has allocated (placed pods).
  bool skip_pod_level = false;    // Ignore spec.resources.
  bool pod_level_resize = true;   // With `use_status`: spec.resources may be resized, too.
  ResourceList non_missing = {};  // Default requests per container.
};

// Returns the pod's effective requests.
ResourceList PodRequests(const Pod& pod, const PodRequestOptions& options);

// The requests of a placed pod for scoring, with the defaults above where cpu or memory is missing.
// Negative requests count as 0.
struct NonZeroRequest {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  friend bool operator==(const NonZeroRequest&, const NonZeroRequest&) = default;
};
NonZeroRequest PlacedNonZeroRequest(const Pod& pod,
                                    PodRequestOptions options = {.use_status = true});

bool IsExtendedResource(std::string_view name);
// Reports whether `name` is a scalar resource: extended, hugepages, prefixed native or attachable
// volumes.
bool IsScalarResource(std::string_view name);

}  // namespace berth::api
