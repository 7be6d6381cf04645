// Invariants are what must hold in a simulated world, whatever goes wrong in it: some after every
// step, others once all is quiet.
//
// They are judged by what the scheduler was told (Watch), by the truth (ApiModel) and by the books
// of a plugin (ReservationBook), none of which the engine keeps.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "scheduler/engine/engine.h"
#include "scheduler/reference/reference_profile.h"
#include "simulation/api_model.h"
#include "simulation/faults.h"
#include "simulation/faulty_connection.h"
#include "simulation/reservations.h"

namespace berth::simulation {

// The names under which broken invariants are reported.
inline constexpr const char* kOnePlace = "one-place";    // No pod is lost, or in two places.
inline constexpr const char* kBoundOnce = "bound-once";  // No pod is bound twice.
inline constexpr const char* kNoOvercommit = "no-overcommit";
inline constexpr const char* kOwners = "owners";    // Of assumed pods and nominations.
inline constexpr const char* kReserve = "reserve";  // Each Reserve is bound or taken back.
inline constexpr const char* kNotLeftUnschedulable =
    "not-parked";                                   // What fits is not left waiting.
inline constexpr const char* kBounded = "bounded";  // Nothing piles up.

struct Violation {
  std::string invariant;
  std::string what;
};

class Invariants {
 public:
  // All must outlive it.
  Invariants(const ApiModel& api, const Watch& watch, const ReservationBook& book,
             const FaultPlan& plan, const scheduler::framework::ProfileConfig& profile);

  // --- what happens ---

  // The engine chose a node for a pod.
  void PodPlaced(const std::string& uid, const std::string& node);
  void Decided(const scheduler::engine::Decision& decision,
               const scheduler::engine::Engine& engine);
  void CommandSent(const scheduler::engine::Command& command);
  void WriteEnded(const scheduler::engine::WriteDone& done);
  // Another engine takes over.
  void EngineDied();

  // --- what must hold ---

  std::optional<Violation> AfterStep(const scheduler::engine::Engine& engine);
  // No pod waits that fits. `early`: before pods are flushed for having waited long.
  std::optional<Violation> NoneLeftUnschedulable(const scheduler::engine::Engine& engine,
                                                 Instant now, bool early) const;
  // Everything is told and answered, and there is nothing left to try.
  std::optional<Violation> WhenQuiet(const scheduler::engine::Engine& engine) const;
  // The engine has the pods as the API has them.
  std::optional<Violation> KnowsTheTruth(const scheduler::engine::Engine& engine) const;
  // All objects are gone, too.
  std::optional<Violation> WhenEmpty(const scheduler::engine::Engine& engine) const;

 private:
  std::optional<Violation> PodsAreInPlace(const scheduler::engine::Engine& engine) const;
  std::optional<Violation> CheckPlace(const scheduler::engine::Engine& engine,
                                      const scheduler::model::PodRecord& pod) const;
  std::optional<Violation> NominationsHaveOwners(const scheduler::engine::Engine& engine) const;
  std::optional<Violation> TruthHolds() const;
  bool MayWait(const api::Pod& pod) const;
  void Break(const char* invariant, std::string what);

  const ApiModel& api_;
  const Watch& watch_;
  const ReservationBook& book_;
  const FaultPlan& plan_;
  const scheduler::reference::ReferenceProfile rules_;
  std::map<scheduler::engine::CommandId, std::string> binds_;  // Not answered yet; the uid.
  std::set<std::string> bound_;                     // Uids whose bind was answered with success.
  std::map<api::ObjectKey, std::string> messages_;  // Of the last decision about each pod.
  std::set<std::string> uids_;                      // Of all pods that were ever placed.
  std::optional<Violation> broken_;                 // Seen while the engine was at work.
};

}  // namespace berth::simulation
