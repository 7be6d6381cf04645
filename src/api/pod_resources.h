// How much a pod asks for: the sums over its containers, init containers, sidecars, overhead and
// pod-level resources, as kube-scheduler v1.36 computes them.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/pod.h"
#include "api/quantity.h"

namespace berth::api {

// Stand-ins for containers that ask for nothing, so that scores see them.
inline constexpr int64_t kDefaultMilliCpu = 100;
inline constexpr int64_t kDefaultMemory = 200 * 1024 * 1024;

struct PodRequestOptions {
  bool use_status = false;        // Count what a resize has granted (placed pods).
  bool skip_pod_level = false;    // Ignore spec.resources.
  ResourceList non_missing = {};  // Given to each container that lacks the resource.
};

// The pod's effective requests.
ResourceList PodRequests(const Pod& pod, const PodRequestOptions& options);

// What a placed pod counts for in scores: requests with the stand-ins where cpu or memory is
// missing.
struct NonZeroRequest {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  friend bool operator==(const NonZeroRequest&, const NonZeroRequest&) = default;
};
NonZeroRequest PlacedNonZeroRequest(const Pod& pod);

// Classes of resource names.
bool IsExtendedResource(std::string_view name);
// Counted in the scalar part of a resource vector: extended, hugepages, prefixed native, attachable
// volumes.
bool IsScalarResource(std::string_view name);

}  // namespace berth::api
