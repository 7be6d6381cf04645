// WorldGenerator makes clusters at random, and changes to them, in which every scheduling rule has
// something to say.
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
#include "twin/world.h"

namespace berth {

// One thing that happens to a cluster.
struct WorldChange {
  api::Object object;
  bool removed = false;  // If not, it was added or replaces the object of the same key.
};

class WorldGenerator {
 public:
  explicit WorldGenerator(uint64_t seed) : random_(seed) {}

  // A cluster with this many nodes and a few pods for each.
  twin::World World(size_t nodes);

  // A change that can happen to the world. It is not applied.
  WorldChange Change(const twin::World& world);

  // A pod that waits for a node, of which the world knows nothing yet. One in twenty is nominated.
  api::Ref<api::Pod> WaitingPod(const twin::World& world);

 private:
  std::vector<api::Object> ClusterObjects(size_t nodes);
  api::Object NewObject(const twin::World& world);
  api::Ref<api::Pod> PlacedPod(const twin::World& world);
  WorldChange PodChange(const twin::World& world);
  WorldChange NodeChange(const twin::World& world);

  Random random_;
  uint64_t next_ = 0;  // Numbers what is made.
};

// The objects of the world, in an order in which they can be delivered.
std::vector<api::Object> ObjectsOf(const twin::World& world);

}  // namespace berth
