// ClusterGenerator creates random clusters, and changes to them, that exercise every scheduling
// rule.
//
// Values come from small pools (three zones, a few labels, ports and claims), so that selectors
// match labels, budgets cover pods and claims fit volumes. All objects would pass an API server's
// validation, but references may dangle: claims without volumes, pods on missing nodes. No two pods
// have the same start time and no two volumes the same capacity, so that every decision is
// determined.
#pragma once

#include <cstdint>
#include <vector>

#include "api/object.h"
#include "base/random.h"
#include "scheduler/reference/snapshot.h"

namespace berth {

// One change of a cluster.
struct RandomChange {
  api::Object object;
  bool removed = false;  // Otherwise added or replaced.
};

class ClusterGenerator {
 public:
  explicit ClusterGenerator(uint64_t seed) : random_(seed) {}

  // Returns a cluster with this many nodes and a few pods on each.
  scheduler::reference::Snapshot Snapshot(size_t nodes);

  // Returns a change that can happen to the cluster, without applying it.
  RandomChange Change(const scheduler::reference::Snapshot& cluster);

  // Returns a pending pod that the cluster does not have. One in twenty is nominated.
  api::Ref<api::Pod> WaitingPod(const scheduler::reference::Snapshot& cluster);

 private:
  std::vector<api::Object> ClusterObjects(size_t nodes);
  api::Object NewObject(const scheduler::reference::Snapshot& cluster);
  api::Ref<api::Pod> PlacedPod(const scheduler::reference::Snapshot& cluster);
  RandomChange PodChange(const scheduler::reference::Snapshot& cluster);
  RandomChange NodeChange(const scheduler::reference::Snapshot& cluster);

  Random random_;
  uint64_t next_ = 0;  // The number of the next object.
};

// Returns the objects of the cluster, in an order in which they can be delivered.
std::vector<api::Object> ObjectsOf(const scheduler::reference::Snapshot& cluster);

}  // namespace berth
