// ClusterGenerator makes clusters at random, and changes to them, in which every scheduling rule
// has something to say.
//
// Values come from small pools (three zones, a few labels, ports and claims), so that selectors
// meet labels, pods meet budgets and claims meet volumes. What it makes could have passed an API
// server, except that names may dangle: claims without volumes, pods on nodes that are gone. No two
// pods have the same start time and no two volumes the same capacity, so that no rule is left with
// a choice.
#pragma once

#include <cstdint>
#include <vector>

#include "api/object.h"
#include "base/random.h"
#include "scheduler/reference/snapshot.h"

namespace berth {

// One thing that happens to a cluster.
struct RandomChange {
  api::Object object;
  bool removed = false;  // If not, it was added or replaces the object of the same key.
};

class ClusterGenerator {
 public:
  explicit ClusterGenerator(uint64_t seed) : random_(seed) {}

  // A cluster with this many nodes and a few pods for each.
  scheduler::reference::Snapshot Snapshot(size_t nodes);

  // A change that can happen to the world. It is not applied.
  RandomChange Change(const scheduler::reference::Snapshot& world);

  // A pod that waits for a node, of which the world knows nothing yet. One in twenty is nominated.
  api::Ref<api::Pod> WaitingPod(const scheduler::reference::Snapshot& world);

 private:
  std::vector<api::Object> ClusterObjects(size_t nodes);
  api::Object NewObject(const scheduler::reference::Snapshot& world);
  api::Ref<api::Pod> PlacedPod(const scheduler::reference::Snapshot& world);
  RandomChange PodChange(const scheduler::reference::Snapshot& world);
  RandomChange NodeChange(const scheduler::reference::Snapshot& world);

  Random random_;
  uint64_t next_ = 0;  // Numbers what is made.
};

// The objects of the world, in an order in which they can be delivered.
std::vector<api::Object> ObjectsOf(const scheduler::reference::Snapshot& world);

}  // namespace berth
