// Runs a synthetic world in an engine alone: all writes succeed at once, and there is no API.
#pragma once

#include "base/result.h"
#include "benchmark/environment.h"
#include "benchmark/measurement.h"
#include "benchmark/synthetic_world.h"
#include "scheduler/engine/engine.h"

namespace berth::benchmark {

// Loads the world into an engine with `options`, and schedules its pods. Fails if the engine cannot
// be made, or if a pod is not scheduled.
Result<Measurement> RunSyntheticWorld(const WorldOptions& world,
                                      const scheduler::engine::EngineOptions& options,
                                      const scheduler::framework::Registry& registry,
                                      const Environment& environment);

}  // namespace berth::benchmark
