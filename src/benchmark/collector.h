// Collector measures how fast pods are bound, between two operations of a workload.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/bench_cluster.h"
#include "benchmark/environment.h"
#include "benchmark/measurement.h"
#include "benchmark/pod_tracker.h"

namespace berth::benchmark {

class Collector {
 public:
  // Counts the pods of `pods` that become bound. `cluster` and `environment` must outlive this.
  Collector(const BenchCluster& cluster, const Environment& environment,
            std::shared_ptr<const PodCount> pods);

  // Notes how many pods are bound now.
  void Sample();
  // Returns what was measured; without a name.
  Measurement Finish() const;
  // "1200 pods, 3400 pods/s"
  std::string Progress() const;

 private:
  const BenchCluster& cluster_;
  const Environment& environment_;
  const std::shared_ptr<const PodCount> pods_;
  const SchedulingTotals start_;
  uint64_t counted_ = 0;
  uint64_t resident_bytes_ = 0;
  std::vector<BoundPods> bound_;
};

}  // namespace berth::benchmark
