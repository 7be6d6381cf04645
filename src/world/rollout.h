// The arithmetic of a Deployment's rollout: how large its ReplicaSets should be next.
//
// Pure, and one step at a time: the next step follows once the pods have come or gone.
#pragma once

#include <cstdint>
#include <vector>

namespace berth::world {

struct RolloutLimits {
  int64_t replicas = 0;         // What the Deployment asks for.
  int64_t max_surge = 0;        // How many more there may be,
  int64_t max_unavailable = 0;  // and how many fewer available.
};

struct SetSize {
  int64_t replicas = 0;       // What the set is told.
  int64_t available = 0;      // How many of its pods are.
  int64_t annotated_max = 0;  // replicas + surge of the Deployment when the set was last sized.
};

// The sets of a Deployment: old ones from the oldest on, and the new one.
struct SetSizes {
  std::vector<SetSize> old_sets;
  SetSize new_set;
};

// Grows the new set, or else shrinks old ones, as far as the limits allow.
void RollForward(const RolloutLimits& limits, SetSizes& sizes);

// Shares a change of the Deployment's size among the sets, in proportion to theirs.
void ShareOut(const RolloutLimits& limits, SetSizes& sizes);

}  // namespace berth::world
