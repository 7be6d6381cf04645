// DeviceInvariants checks what must hold for devices and claims in a simulated world in spite of
// all faults.
//
// It computes from the objects of the API what is used; the engine's own sums play no part.
#pragma once

#include <optional>
#include <string>

#include "scheduler/engine/engine.h"
#include "simulation/api_model.h"
#include "simulation/faults.h"
#include "simulation/violation.h"

namespace berth::simulation {

// No device, capacity or counter is given out twice.
inline constexpr const char* kDevices = "devices";
// What is written is what was reserved; what the engine knows is what is stored.
inline constexpr const char* kAllocation = "allocation";
// What nobody uses is freed, and a pod that runs has what it uses.
inline constexpr const char* kFreed = "freed";
// No search for devices does more work than its budget.
inline constexpr const char* kSearchWork = "search-work";

class DeviceInvariants {
 public:
  // Both must outlive this.
  DeviceInvariants(const ApiModel& api, const FaultPlan& plan) : api_(api), plan_(plan) {}

  // A write of a claim is sent: its allocation must be the one that is in flight.
  std::optional<Violation> CommandSent(const scheduler::engine::Command& command,
                                       const scheduler::engine::Engine& engine) const;
  std::optional<Violation> AfterStep() const;
  // For a world without pending events, writes and pods to schedule.
  std::optional<Violation> WhenIdle(const scheduler::engine::Engine& engine) const;
  std::optional<Violation> CacheMatchesApi(const scheduler::engine::Engine& engine) const;

  // Reports whether the scheduler can know that all claims of the pod exist: without them the pod
  // is not tried.
  bool HasItsClaims(const api::Pod& pod) const;

 private:
  std::optional<Violation> ClaimsAreUsed() const;
  std::optional<Violation> SearchesEnd(const scheduler::model::Cluster& cluster) const;
  std::optional<Violation> PodsHaveTheirClaims() const;

  const ApiModel& api_;
  const FaultPlan& plan_;
};

}  // namespace berth::simulation
