// How a cluster stands: counts of its nodes and pods, and why pods wait.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/store.h"

namespace berth {

struct ClusterCounts {
  size_t nodes = 0;
  size_t pods = 0;      // All of them: the sum of those that follow, but `running`.
  size_t pending = 0;   // Without a node.
  size_t bound = 0;     // On a node, and not finished.
  size_t finished = 0;  // Succeeded or failed.
  size_t running = 0;   // Of those that are bound.
};

// Looks at every pod, but reads none: a millisecond for ten thousand.
ClusterCounts CountCluster(store::Store& store);

// Pods that wait for the same reason.
struct PendingGroup {
  std::string message;  // Of the scheduler: "0/3 nodes are available: ..."
  size_t pods = 0;
  store::ObjectName example;
};

struct PendingPods {
  std::vector<PendingGroup> groups;  // The largest first.
  size_t undecided = 0;              // The scheduler has not said anything about them.
};

// Reads every pod that has no node.
PendingPods WhyPending(store::Store& store);

}  // namespace berth
