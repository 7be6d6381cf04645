// What can go wrong in a simulated world: FaultPlan is chosen by the seed; PlantedBug is a bug that
// tests add on purpose, to show that the invariants detect it.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "simulation/faulty_connection.h"

namespace berth::simulation {

enum class PlantedBug : uint8_t {
  kNone,
  kLostWakeUp,          // The engine does not receive the removal of a pod's scheduling gates.
  kLeakedAssume,        // The engine does not receive the failure of a bind.
  kSkippedUnreserve,    // A plugin's Unreserve does nothing.
  kDoubleBind,          // A bind is sent twice.
  kWallClockIntervals,  // The engine measures intervals by the wall clock.
  kWriteAfterLoss,      // Writes that are queued when the lease is lost are sent nevertheless.
  kStrictDecoding,      // The engine does not receive objects with undecodable fields.
  kWrappedSums,         // The engine receives huge requests as what is left of them in 64 bits.
  kStaleNomination,     // A nominated node is never cleared in the API.
  kDoubleAllocation,    // The engine does not learn which devices its writes have allocated.
  kLeakedReservation,   // The engine does not receive the failure of a claim's write.
  kLostCounter,         // The engine receives devices without the counters that they consume.
  kHalfGang,            // The engine receives gangs that are content with one member.
  kLostGroup,           // The engine does not receive PodGroups.
};

// FaultPlan selects the faults and the features of a world, so that each also occurs without the
// others.
struct FaultPlan {
  // --- faults ---

  bool restarts = false;       // The scheduler process restarts.
  bool lost_leases = false;    // The scheduler loses its lease, and another one takes over.
  bool clock_changes = false;  // The wall clock is set back or forward.
  bool shrinking = false;      // Nodes lose resources, or return smaller.
  WriteChannel::Faults writes;
  bool undecodable = false;  // Objects have fields that cannot be decoded.
  bool overflowing = false;  // Pods run whose requests exceed 64 bits together.

  // --- features ---

  bool incumbents = false;  // Another scheduler binds pods.
  bool priorities = false;  // Pods preempt each other.
  bool volumes = false;
  bool relabels = false;  // Pods change their labels.
  bool devices = false;   // Pods use devices.
  bool groups = false;    // Pods are members of PodGroups; pods that preempt do so as groups.
  bool complete_search = false;  // Of groups.

  // The scheduler receives every change of a node's usage, so it must never overcommit one.
  bool all_changes_are_delivered() const {
    return !restarts && !lost_leases && !shrinking && !incumbents && writes.lost == 0;
  }
  // In addition, all freed capacity is announced by an event that kube-scheduler reacts to: a pod
  // that fits is requeued by an event and need not wait for the flush. kube-scheduler does not
  // react to label changes of pods that are being bound.
  bool all_freed_capacity_is_announced() const {
    return all_changes_are_delivered() && !overflowing && !priorities && !relabels;
  }
  // The scheduler knows of every allocation of devices before it makes another one, so it must
  // never give a device out twice.
  bool all_allocations_are_known() const { return !restarts && !lost_leases; }
};

// Chooses the plan. In one world out of three all changes are delivered: stricter invariants hold
// there. Changes of the clock must not change what happens, so they have random numbers of their
// own.
inline FaultPlan ChooseFaults(Random& random, Random& leases_and_clocks) {
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
  plan.lost_leases = !tame && leases_and_clocks.Chance(30);
  plan.clock_changes = leases_and_clocks.Chance(50);
  // Chosen from a copy: what else happens with a seed remains as it was before these were added.
  Random later = random;
  plan.undecodable = later.Chance(30);
  plan.overflowing = later.Chance(30);
  plan.devices = later.Chance(60);
  plan.groups = !plan.devices && later.Chance(60);
  // Both only where there was neither, for the same reason.
  if (!plan.devices && !plan.groups) plan.devices = plan.groups = later.Chance(40);
  plan.complete_search = plan.groups && later.Chance(50);
  return plan;
}

}  // namespace berth::simulation
