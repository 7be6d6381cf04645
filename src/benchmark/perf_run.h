// Runs workloads of scheduler_perf on clusters of their own, in one of three modes, and on another
// scheduler for comparison.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "benchmark/environment.h"
#include "benchmark/measurement.h"
#include "benchmark/perf_config.h"
#include "benchmark/running_cluster.h"
#include "scheduler/engine/engine.h"
#include "scheduler/model/features.h"

namespace berth::benchmark {

enum class Mode : uint8_t {
  kEngine,  // The engine alone.
  kStore,   // On the store of an embedded API server.
  kHttp,    // As a client of an embedded API server.
};

// The options of an engine, and its number of workers.
struct EngineSetup {
  scheduler::engine::EngineOptions options;
  int parallelism = 1;
};
// Reads the configuration of a scheduler; the default one if `text` is empty.
using Configure = std::function<Result<EngineSetup>(const std::string& text,
                                                    const scheduler::model::Features& features)>;

struct PerfRunOptions {
  std::string file = {};  // Of the workloads; template paths are relative to it.
  Mode mode = Mode::kEngine;
  Configure configure = {};
  StartPeer start_peer = {};  // Null: none.
};

// What a workload gave, in this scheduler and the peer.
struct WorkloadReport {
  std::string name = {};
  std::vector<Measurement> measurements = {};
  std::vector<Measurement> peer = {};  // In the same order.
  std::string skipped = {};            // Why it was not run; empty if it was.
  std::string error = {};              // Why it failed; empty if it did not.
  std::vector<std::string> notes = {};
  bool interrupted = false;
};

WorkloadReport RunPerfWorkload(const Workload& workload, const PerfRunOptions& options,
                               const scheduler::framework::Registry& registry,
                               const Environment& environment);

}  // namespace berth::benchmark
