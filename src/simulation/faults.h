// The bugs that a simulation can be told to contain, to show that they are found.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "simulation/faulty_connection.h"

namespace berth::simulation {

enum class PlantedBug : uint8_t {
  kNone,
  kLostWakeUp,        // The scheduler is never told that a pod's gates are gone.
  kLeakedAssume,      // The scheduler is not told that a bind failed.
  kSkippedUnreserve,  // A plugin is not told that what it reserved is free again.
  kDoubleBind,        // A bind is carried out twice.
};

// FaultPlan is what can go wrong in a simulated world, and what there is in it: chosen by the seed,
// so that each kind of trouble is also met without the others.
struct FaultPlan {
  // --- faults ---

  bool restarts = false;   // The scheduler dies and starts anew.
  bool shrinking = false;  // Nodes lose resources, and come back smaller.
  WriteChannel::Faults writes;

  // --- inhabitants ---

  bool incumbents = false;  // Another scheduler binds pods.
  bool priorities = false;  // Pods preempt each other.
  bool volumes = false;
  bool relabels = false;  // Pods change their labels.

  // Nothing happens to nodes behind the scheduler's back: it can then never overcommit one.
  bool all_changes_are_delivered() const {
    return !restarts && !shrinking && !incumbents && writes.lost == 0;
  }
  // A pod that fits is then woken by an event, and need not wait to be flushed: nothing else makes
  // room, or keeps it, without an event, as kube-scheduler hears of them. It does not hear that a
  // pod changes its labels on its way to a node.
  bool all_freed_capacity_is_announced() const {
    return all_changes_are_delivered() && !priorities && !relabels;
  }
};

// One world in three is tame: all that happens to nodes is told. More can be asked of those.
inline FaultPlan ChooseFaults(Random& random) {
  FaultPlan plan;
  const bool tame = random.Chance(33);
  if (!tame) {
    plan.restarts = random.Chance(50);
    plan.shrinking = random.Chance(50);
    plan.incumbents = random.Chance(50);
    plan.writes.lost = random.Chance(50) ? static_cast<unsigned>(1 + random.Below(20)) : 0;
  }
  plan.writes.refused = random.Chance(70) ? static_cast<unsigned>(1 + random.Below(25)) : 0;
  plan.priorities = random.Chance(50);
  plan.volumes = random.Chance(50);
  plan.relabels = random.Chance(50);
  return plan;
}

}  // namespace berth::simulation
