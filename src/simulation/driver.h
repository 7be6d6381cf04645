// Driver runs an engine in a simulated world, as a real one would with a connection to an API
// server: it tells what the watch brings, takes the commands, and reports their ends.
//
// The connection and the process may fail. A planted bug, if there is one, is here.
#pragma once

#include <memory>
#include <vector>

#include "scheduler/engine/engine.h"
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
    PlantedBug bug = PlantedBug::kNone;
    WriteChannel::Faults faults = {};
  };
  // What it works with; all outlives it.
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

  // --- what a driver does; each false if there was nothing to do ---

  bool DeliverNext(Instant now);
  // Tries up to `limit` pods and takes up to `commands` commands.
  bool Schedule(Instant now, size_t limit, size_t commands);
  bool ProgressWrites(Instant now);
  // Someone outside allows or rejects a pod that is held back.
  bool ResolvePermit(Instant now, bool always_allow);

  // --- what goes wrong ---

  void DeliverAgain(Instant now);
  void Relist(Instant now);
  void Restart(Instant now);
  // From now on writes go wrong so often.
  void SetFaults(const WriteChannel::Faults& faults) { options_.faults = faults; }

  const scheduler::engine::Engine& engine() const { return *engine_; }
  WriteChannel& writes() { return writes_; }

  size_t decisions = 0, placed = 0, binds = 0, victims = 0, restarts = 0;

 private:
  void StartEngine();
  void Deliver(const scheduler::engine::Event& event, Instant now);
  // The planted bug keeps it from the engine.
  bool Drops(const scheduler::engine::Event& event) const;
  // Whether it wakes all pods that a plugin without preferences has turned away.
  bool IsLoud(const scheduler::engine::Event& event) const;
  void Send(const scheduler::engine::Command& command, Instant now);
  void OnDecision(const scheduler::engine::Decision& decision) override;

  const scheduler::framework::ProfileConfig& profile_;
  Options options_;
  World world_;
  const scheduler::framework::Registry registry_;
  WriteChannel writes_;
  std::unique_ptr<scheduler::engine::Engine> engine_;
  std::map<scheduler::engine::CommandId, bool> is_bind_;  // Of the commands that have not ended.
};

}  // namespace berth::simulation
