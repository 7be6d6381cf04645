// Measurement is what a benchmark measured: how many pods were bound and how fast, how long the
// decisions took, and the memory of the process.
//
// Rates are on a time axis of the benchmark's mode. Alone, an engine's time is that spent in its
// calls; loading objects into it is reported apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "runtime/driver_snapshot.h"

namespace berth::benchmark {

// Pods that were bound by `at`, since the measurement began.
struct BoundPods {
  Duration at;
  uint64_t pods = 0;
};

// Pods per second: on average, and the percentiles of the rates in intervals of equal length.
struct Rates {
  double average = 0;
  double perc50 = 0, perc90 = 0, perc95 = 0, perc99 = 0;
  Duration interval = {};  // Of the percentiles.
  size_t samples = 0;      // Number of intervals.
};

// Computes the rates from the start of the measurement to the last bound pod. As in scheduler_perf
// the intervals have a second, and one without a pod counts with the rate until the next pod; a
// measurement of less than ten seconds has ten intervals. `bound` is in the order of time.
Rates RatesOf(std::span<const BoundPods> bound);

// What a workload expects: reported, not asserted.
struct Threshold {
  double value = 0;
  std::string metric = "SchedulingThroughput";
  std::string bucket = "Average";
  bool expect_lower = false;
};

struct Measurement {
  std::string name = {};  // "SchedulingBasic/5Nodes/namespace-2"
  uint64_t pods = 0;
  Rates rates = {};
  Duration duration = {};  // From the start to the end of collecting, on the time axis.
  // Of an engine alone: the parts of its time.
  std::optional<Duration> deciding = {};  // Scheduling cycles and results of writes.
  std::optional<Duration> events = {};    // Changes of objects, while pods are scheduled.
  std::optional<Duration> loading = {};   // Objects that were created before; not in `duration`.
  // Scheduling attempts, and how long they took; absent for another scheduler.
  std::optional<uint64_t> attempts = {};
  runtime::LatencyHistogram decision_time = {};
  uint64_t resident_bytes = 0;  // Of the process, at most.
  std::optional<Threshold> threshold = {};
  bool interrupted = false;
};

// Returns the measurements in the form that scheduler_perf writes for perfdash: DataItems, indented
// JSON with a newline at the end.
std::string ToDataItems(std::span<const Measurement> measurements);

}  // namespace berth::benchmark
