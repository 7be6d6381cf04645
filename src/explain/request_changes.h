// Changes to what a pod requests: to what is free on a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explain/change.h"
#include "explain/obstacle.h"

namespace berth::explain {

// A resource of which the pod requests more than the node has left. Amounts are those that rules
// count: thousandths of cpu, units of all others.
struct Shortage {
  std::string resource;
  int64_t requested = 0;
  int64_t free = 0;  // Not negative.

  // The part of the request that is missing: 0 to 1.
  double part() const {
    return static_cast<double>(requested - free) / static_cast<double>(requested);
  }
};

// Returns what a pod that needs a node requests, in sum.
api::ResourceList RequestsOf(const scheduler::model::Cluster& cluster, const api::Pod& pod);

// Returns what the node lacks of `requests`: cpu, memory and ephemeral storage first, then others
// by name. The number of pods is not among them.
std::vector<Shortage> ShortagesOf(const scheduler::model::Cluster& cluster,
                                  const api::ResourceList& requests, scheduler::model::NodeRow row);

// The least that a request is lowered to: a tenth.
inline int64_t LeastOf(int64_t requested) { return requested / 10 + (requested % 10 != 0); }

// Lowers the pod's effective request of the resource to `target` or less: the largest container
// first. Overhead is not lowered.
void LowerRequest(api::Pod& pod, std::string_view resource, int64_t target);

// Returns the change that lowers the request of the first resource that the node lacks to what is
// free there; nothing if none is.
std::vector<Change> RequestChanges(const Obstacle& obstacle);

// Returns the change that lowers the request of the resource from `requested` to `target`.
Change LowerRequestTo(const api::Pod& pod, const std::string& resource, int64_t requested,
                      int64_t target);

// "1500m" of cpu, "512Mi" of memory: an amount as users write it.
std::string TextOfAmount(std::string_view resource, int64_t amount);

}  // namespace berth::explain
