// Invariants checks what must hold in a simulated world in spite of all faults: some properties
// after every step, others when the world is idle.
//
// It checks against sources that are independent of the engine: what the scheduler received
// (Watch), the ground truth (ApiModel) and the records of a plugin (ReservationBook).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "scheduler/engine/engine.h"
#include "scheduler/reference/reference_profile.h"
#include "simulation/api_model.h"
#include "simulation/device_invariants.h"
#include "simulation/faults.h"
#include "simulation/faulty_connection.h"
#include "simulation/group_invariants.h"
#include "simulation/reservations.h"
#include "simulation/violation.h"

namespace berth::simulation {

// The names of the invariants in reports.
inline constexpr const char* kOnePlace = "one-place";    // No pod is lost, or in two places.
inline constexpr const char* kBoundOnce = "bound-once";  // No pod is bound twice.
inline constexpr const char* kNoOvercommit = "no-overcommit";
inline constexpr const char* kOwners = "owners";    // Of assumed pods and nominations.
inline constexpr const char* kReserve = "reserve";  // Each Reserve ends in a bind or an Unreserve.
// No pod that fits stays unschedulable.
inline constexpr const char* kNotLeftUnschedulable = "not-left-unschedulable";
// No pod keeps a nominated node in the API that it does not wait for.
inline constexpr const char* kNominations = "nominations";
inline constexpr const char* kBounded = "bounded";       // Nothing accumulates.
inline constexpr const char* kOnTime = "on-time";        // No backoff outlasts its limit.
inline constexpr const char* kOneLeader = "one-leader";  // Nothing is written without the lease.

class Invariants {
 public:
  // The arguments must outlive the Invariants, except `rules`: those of the engine's profile.
  Invariants(const ApiModel& api, const Watch& watch, const ReservationBook& book,
             const FaultPlan& plan, scheduler::reference::ReferenceProfile rules);

  const GroupInvariants& groups() const { return groups_; }

  // --- observations ---

  // The engine reserved a node for a pod. That of a member of a group may be in vain, and in a
  // cluster without the group's victims: these count once they are decided.
  void PodReserved(const std::string& uid, const std::string& node);
  void Decided(const scheduler::engine::Decision& decision,
               const scheduler::engine::Engine& engine);
  void CommandSent(const scheduler::engine::Command& command,
                   const scheduler::engine::Engine& engine);
  void WriteEnded(const scheduler::engine::WriteDone& done);
  // The engine is replaced by a new one.
  void EngineStopped();

  // --- checks ---

  // `now` is the time of the steady clock.
  std::optional<Violation> AfterStep(const scheduler::engine::Engine& engine,
                                     const WriteChannel& writes, Instant now);
  // Checks that no pending pod fits. `early`: before the flush of unschedulable pods.
  std::optional<Violation> NoneLeftUnschedulable(const scheduler::engine::Engine& engine,
                                                 Instant now, bool early) const;
  // For a world without pending events, writes and bindings: a pod that has a nominated node waits
  // there for victims. Autoscalers add no node for such a pod.
  std::optional<Violation> NominationsAreCurrent(bool early) const;
  // For a world without pending events, writes and pods to schedule.
  std::optional<Violation> WhenIdle(const scheduler::engine::Engine& engine) const;
  // Checks that the engine has the newest version of each pod.
  std::optional<Violation> CacheMatchesApi(const scheduler::engine::Engine& engine) const;
  // For an idle world without objects.
  std::optional<Violation> WhenEmpty(const scheduler::engine::Engine& engine) const;

 private:
  void PodPlaced(const std::string& uid, const std::string& node);
  std::optional<Violation> PodsAreInPlace(const scheduler::engine::Engine& engine) const;
  std::optional<Violation> CheckPlace(const scheduler::engine::Engine& engine,
                                      const scheduler::model::PodRecord& pod) const;
  std::optional<Violation> NominationsHaveOwners(const scheduler::engine::Engine& engine) const;
  std::optional<Violation> ApiIsNotOvercommitted() const;
  std::optional<Violation> BackoffsEndInTime(const scheduler::engine::Engine& engine,
                                             Instant now) const;
  bool MayMissAffinity(const api::Pod& pod) const;
  bool MayWait(const api::Pod& pod) const;
  void Break(const char* invariant, std::string what);

  const ApiModel& api_;
  const Watch& watch_;
  const ReservationBook& book_;
  const FaultPlan& plan_;
  const scheduler::reference::ReferenceProfile rules_;
  const DeviceInvariants devices_;
  const GroupInvariants groups_;
  std::map<scheduler::engine::CommandId, std::string> binds_;  // Pending binds; the pod's uid.
  std::set<std::string> bound_;                                // Uids whose bind succeeded.
  std::map<api::ObjectKey, std::string> messages_;             // Of the last rejection of each pod.
  std::set<std::string> uids_;                                 // Of all pods that were ever placed.
  std::optional<Violation> broken_;                            // Detected inside an engine call.
};

}  // namespace berth::simulation
