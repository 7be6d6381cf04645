// Simulate runs one simulated world: an engine, an API server model and the faults between them,
// all determined by a seed. The same seed always gives the same world.
//
// The world first runs for a number of steps. In each step one thing happens: pods and nodes are
// created, changed and deleted, watch events are delivered, writes are executed, lost or refused,
// time passes. Then the faults stop and all pending work completes. Invariants are checked after
// every step and again when the world is idle.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/model/features.h"
#include "simulation/faults.h"
#include "simulation/invariants.h"
#include "simulation/trace.h"

namespace berth::simulation {

struct SimulationOptions {
  uint64_t seed = 1;
  size_t steps = 200;
  bool paranoid = false;  // The engine checks each decision.
  scheduler::model::Features features = {};
  PlantedBug bug = PlantedBug::kNone;
  Trace::Listener trace = nullptr;  // Receives every trace line.
};

struct SimulationReport {
  std::optional<Violation> broken;
  size_t step = 0;                      // The step of the violation.
  std::vector<std::string> last_lines;  // The last trace lines before it.

  // Totals.
  size_t decisions = 0, placed = 0, binds = 0, victims = 0, restarts = 0;
  size_t lost_leases = 0, clock_changes = 0;
  size_t allocations = 0, deallocations = 0;  // Writes of claims that the scheduler sent.
};

SimulationReport Simulate(const SimulationOptions& options);

}  // namespace berth::simulation
