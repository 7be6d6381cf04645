// Runs the operations of a workload on a cluster, as scheduler_perf does, and measures.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "benchmark/bench_cluster.h"
#include "benchmark/environment.h"
#include "benchmark/measurement.h"
#include "benchmark/object_templates.h"
#include "benchmark/perf_config.h"
#include "scheduler/engine/engine.h"

namespace berth::benchmark {

// What a workload gave.
struct WorkloadResult {
  std::vector<Measurement> measurements;
  // Why it ended early; empty if it did not. An interruption by the user is none.
  std::string error;
  // Why it cannot run: an object that the API server does not serve. Empty if it can.
  std::string skipped;
  bool interrupted = false;
};

struct WorkloadContext {
  BenchCluster& cluster;
  ObjectTemplates& templates;
  const Environment& environment;
  // For allocations of claims without pods.
  const scheduler::engine::EngineOptions& engine;
  const scheduler::framework::Registry& registry;
};

WorkloadResult RunWorkload(const Workload& workload, const WorkloadContext& context);

}  // namespace berth::benchmark
