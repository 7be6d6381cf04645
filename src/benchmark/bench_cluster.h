// BenchCluster is an API and a scheduler on it, as a workload uses them.
//
// All functions are called on one thread, that of the workload.
#pragma once

#include <cstdint>
#include <optional>

#include "apiserver/registry/api.h"
#include "base/result.h"
#include "base/time.h"
#include "benchmark/timed_engine.h"
#include "runtime/driver_snapshot.h"
#include "scheduler/model/features.h"

namespace berth::benchmark {

// The API serves what the scheduler reads.
inline apiserver::admission::WorkloadGates WorkloadGatesOf(
    const scheduler::model::Features& features) {
  return {features.generic_workload, features.topology_aware_workload_scheduling,
          features.workload_aware_preemption};
}

// What the scheduler has done since the start.
struct SchedulingTotals {
  Duration time = {};                     // The time axis of rates.
  std::optional<EngineTime> engine = {};  // Of an engine alone.
  // Absent if the scheduler does not tell.
  std::optional<uint64_t> attempts = {};
  runtime::LatencyHistogram decision_time = {};
};

class BenchCluster {
 public:
  virtual ~BenchCluster() = default;

  virtual apiserver::registry::Api& api() = 0;
  // The time by which operations wait, and at which they repeat.
  virtual const Clock& clock() const = 0;
  // Lets the scheduler see what was created, before it schedules.
  virtual void Load() = 0;
  // Lets the scheduler work for a while, at most until `until`.
  virtual void Run(Instant until) = 0;
  virtual SchedulingTotals Totals() const = 0;
  // Fails if the scheduler has stopped.
  virtual Status health() = 0;
};

}  // namespace berth::benchmark
