// Driver runs an engine in a simulated world as the runtime does on a real API server: it delivers
// watch events, executes the engine's commands, and reports their results.
//
// The connection and the process may fail. A planted bug, if any, takes effect here.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "scheduler/engine/engine.h"
#include "scheduler/model/features.h"
#include "simulation/faults.h"
#include "simulation/faulty_connection.h"
#include "simulation/invariants.h"
#include "simulation/trace.h"

namespace berth::simulation {

class Driver final : public scheduler::engine::DecisionObserver {
 public:
  struct Options {
    uint64_t seed = 0;
    bool paranoid = false;
    scheduler::model::Features features = {};
    PlantedBug bug = PlantedBug::kNone;
    WriteChannel::Faults faults = {};
  };
  // The parts of the world that the driver uses; all must outlive it.
  struct World {
    ApiModel& api;
    Watch& watch;
    ReservationBook& book;
    Invariants& invariants;
    Trace& trace;
    Random& random;
  };

  Driver(const scheduler::framework::ProfileConfig& profile, const Options& options,
         const World& world);

  // --- regular operation; each returns false if there was nothing to do ---

  bool DeliverNext(Instant now);
  // Schedules up to `limit` pods and takes up to `commands` commands.
  bool Schedule(Instant now, size_t limit, size_t commands);
  bool ProgressWrites(Instant now);
  // Allows or rejects a waiting pod from outside.
  bool ResolvePermit(Instant now, bool always_allow);

  // --- faults ---

  // Delivers the last event of some object again.
  void DeliverAgain(Instant now);
  // Loses the watch and lists all objects again.
  void Relist(Instant now);
  // The process dies, and a new one takes over.
  void Restart(Instant now);
  // The lease is lost: what is queued fails, and another scheduler takes over.
  void LoseLease(Instant now);
  // Sets the wall clock, to so much ahead of the time that the other functions get.
  void SetWallClock(Duration ahead) { wall_ahead_ = ahead; }
  // Sets how often writes fail from now on.
  void SetFaults(const WriteChannel::Faults& faults) { options_.faults = faults; }

  const scheduler::engine::Engine& engine() const { return *engine_; }
  WriteChannel& writes() { return writes_; }

  size_t decisions = 0, placed = 0, binds = 0, victims = 0, restarts = 0, lost_leases = 0;
  size_t allocations = 0, deallocations = 0;

 private:
  void StartEngine();
  // Replaces the engine by a new one, which lists all objects.
  void TakeOver(Instant now);
  Now ClocksAt(Instant now) const;
  void Deliver(const scheduler::engine::Event& event, Instant now);
  // Reports whether the planted bug withholds the event from the engine.
  bool Drops(const scheduler::engine::Event& event) const;
  // Reports whether the event requeues every pod that a plugin without EventsToRegister rejected.
  bool RequeuesAll(const scheduler::engine::Event& event) const;
  void Send(const scheduler::engine::Command& command, Instant now);
  // Return the command and the event as the planted bug changes them.
  scheduler::engine::Command WithPlantedBug(scheduler::engine::Command command) const;
  scheduler::engine::Event WithPlantedBug(const scheduler::engine::Event& event) const;
  // Counts writes of claims.
  void Count(const scheduler::framework::ApiWrite& write);
  void OnDecision(const scheduler::engine::Decision& decision) override;

  const scheduler::framework::ProfileConfig& profile_;
  Options options_;
  World world_;
  const scheduler::framework::Registry registry_;
  WriteChannel writes_;
  std::unique_ptr<scheduler::engine::Engine> engine_;
  Duration wall_ahead_;
  std::map<scheduler::engine::CommandId, bool> is_bind_;  // For pending commands.
  std::set<scheduler::engine::CommandId> claim_writes_;   // Likewise: those that allocate.
};

}  // namespace berth::simulation
