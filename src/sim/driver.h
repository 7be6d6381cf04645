// Driver runs an engine in a simulated world, as a real one would with a connection to an API
// server: it tells what the watch brings, takes the commands, and reports their ends.
//
// The connection and the process may fail. A planted bug, if there is one, is here.
#pragma once

#include <memory>
#include <vector>

#include "engine/engine.h"
#include "sim/invariants.h"
#include "sim/planted_bug.h"
#include "sim/trace.h"
#include "sim/watch.h"
#include "sim/write_channel.h"

namespace berth::sim {

class Driver final : public DecisionObserver {
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

  Driver(const ProfileConfig& profile, const Options& options, const World& world);

  // --- what a driver does; each false if there was nothing to do ---

  bool TellNext(Instant now);
  // Tries up to `limit` pods and takes up to `commands` commands.
  bool Schedule(Instant now, size_t limit, size_t commands);
  bool ProgressWrites(Instant now);
  // Someone outside allows or rejects a pod that is held back.
  bool SpeakPermit(Instant now, bool always_allow);

  // --- what goes wrong ---

  void TellAgain(Instant now);
  void Relist(Instant now);
  void Restart(Instant now);
  // From now on writes go wrong so often.
  void SetFaults(const WriteChannel::Faults& faults) { options_.faults = faults; }

  const Engine& engine() const { return *engine_; }
  WriteChannel& writes() { return writes_; }

  size_t decisions = 0, placed = 0, binds = 0, victims = 0, restarts = 0;

 private:
  void StartEngine();
  void Tell(const Event& event, Instant now);
  // The planted bug keeps it from the engine.
  bool Swallows(const Event& event) const;
  // Whether it wakes all pods that a plugin without preferences has turned away.
  bool IsLoud(const Event& event) const;
  void Send(const Command& command, Instant now);
  void OnDecision(const Decision& decision) override;

  const ProfileConfig& profile_;
  Options options_;
  World world_;
  const Registry registry_;
  WriteChannel writes_;
  std::unique_ptr<Engine> engine_;
  std::map<CommandId, bool> is_bind_;  // Of the commands that have not ended.
};

}  // namespace berth::sim
