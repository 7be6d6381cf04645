// GroupInvariants checks what must hold for PodGroups in a simulated world in spite of all faults.
//
// It counts the members that were delivered to the scheduler; the engine's own counts play no part.
#pragma once

#include <optional>

#include "scheduler/engine/engine.h"
#include "scheduler/reference/reference_profile.h"
#include "simulation/api_model.h"
#include "simulation/device_invariants.h"
#include "simulation/faulty_connection.h"
#include "simulation/reservations.h"
#include "simulation/violation.h"

namespace berth::simulation {

// No member of a gang is bound unless enough of them have a node.
inline constexpr const char* kGang = "gang";
// No group that could be placed waits, whatever groups compete with it.
inline constexpr const char* kGroupProgress = "group-progress";

class GroupInvariants {
 public:
  // All must outlive this.
  GroupInvariants(const ApiModel& api, const Watch& watch, const ReservationBook& book,
                  const DeviceInvariants& devices)
      : api_(api), watch_(watch), book_(book), devices_(devices) {}

  // Reports whether the pod waits for its group, or for other members of it.
  bool IsHeld(const api::Pod& pod) const;

  // The engine has decided to bind the pod.
  std::optional<Violation> Placed(const api::ObjectKey& pod) const;

  // For a world without pending events, writes and pods to schedule, in which everything was tried
  // again: no pod may wait whose group has, or would have with it, enough members on nodes.
  std::optional<Violation> NoneLeftWaiting(const scheduler::reference::ReferenceProfile& rules,
                                           Instant now) const;
  // The same, for engines that search completely: an engine that knows nothing but the objects
  // places no group either.
  std::optional<Violation> NoneLeftByOthers(const scheduler::framework::ProfileConfig& profile,
                                            const scheduler::model::Features& features,
                                            Instant now) const;

 private:
  const ApiModel& api_;
  const Watch& watch_;
  const ReservationBook& book_;
  const DeviceInvariants& devices_;
};

}  // namespace berth::simulation
