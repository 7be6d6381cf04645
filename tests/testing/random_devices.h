// Random clusters with devices: slices, classes, claims and pods that use them, in all ways in
// which kube-scheduler allocates them.
//
// Values come from small pools, so that requests match devices, constraints can be met and counters
// run out. Objects would pass an API server's validation, except that slices may contradict each
// other: duplicate names, missing slices and counters, old generations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/random.h"
#include "scheduler/reference/snapshot.h"
#include "testing/random_cluster.h"

namespace berth {

class DeviceClusterGenerator {
 public:
  explicit DeviceClusterGenerator(uint64_t seed) : random_(seed) {}

  // Returns a few nodes with classes, slices, and claims of which some are allocated or in flight.
  scheduler::reference::Snapshot Snapshot();

  // Returns a change that can happen to the cluster, without applying it.
  RandomChange Change(const scheduler::reference::Snapshot& cluster);

  // Returns a pending pod with claims of the cluster, or with extended resources that classes back.
  api::Ref<api::Pod> WaitingPod(const scheduler::reference::Snapshot& cluster);

 private:
  api::Node NewNode(size_t number);
  api::ResourceClaim NewClaim(const std::string& name);
  api::DeviceRequest NewRequest(const std::string& name);
  api::DeviceSubRequest NewSubRequest(const std::string& name);
  api::DeviceConstraint NewConstraint(const std::vector<api::DeviceRequest>& requests);
  // Allocates some device of the cluster to the claim, whether it asks for it or not.
  void Allocate(const scheduler::reference::Snapshot& cluster, api::ResourceClaim& claim);

  RandomChange SliceChange(const scheduler::reference::Snapshot& cluster);
  RandomChange ClaimChange(const scheduler::reference::Snapshot& cluster);
  RandomChange ClassChange(const scheduler::reference::Snapshot& cluster);
  RandomChange NodeChange(const scheduler::reference::Snapshot& cluster);

  Random random_;
  uint64_t next_ = 0;  // The number of the next object.
};

}  // namespace berth
