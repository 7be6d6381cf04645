// Simulate runs one world: an engine, an API, and everything that can go wrong between them, all
// decided by a seed. The same seed gives the same world, always.
//
// First the world lives through a number of steps, in each of which something happens: pods and
// nodes come, change and go, changes are told, writes are carried out, lost or refused, time
// passes. Then the faults stop and everything is told and tried; what must hold is checked after
// every step and again when all is quiet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulation/faults.h"
#include "simulation/invariants.h"
#include "simulation/trace.h"

namespace berth::simulation {

struct SimulationOptions {
  uint64_t seed = 1;
  size_t steps = 200;
  bool paranoid = false;  // The engine makes every decision twice.
  PlantedBug bug = PlantedBug::kNone;
  Trace::Listener trace = nullptr;  // Hears of everything that happens.
};

struct SimulationReport {
  std::optional<Violation> broken;
  size_t step = 0;                      // At which it broke.
  std::vector<std::string> last_lines;  // What happened before that.

  // How much happened.
  size_t decisions = 0, placed = 0, binds = 0, victims = 0, restarts = 0;
};

SimulationReport Simulate(const SimulationOptions& options);

}  // namespace berth::simulation
