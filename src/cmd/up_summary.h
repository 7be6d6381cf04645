// The summary of the demonstration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/time.h"
#include "cmd/up_counts.h"
#include "driver/driver_snapshot.h"
#include "store/store.h"

namespace berth {

// How much of a zone is asked for.
struct ZoneUse {
  std::string zone;  // "(none)" for nodes without the label.
  size_t nodes = 0;
  size_t pods = 0;
  int64_t milli_cpu = 0, milli_cpu_room = 0;
  int64_t memory = 0, memory_room = 0;
};

// By name. Reads every node and pod.
std::vector<ZoneUse> UseOfZones(store::Store& store);

struct DemoResult {
  ClusterCounts counts;
  PendingPods pending;
  std::vector<ZoneUse> zones;
  driver::DriverSnapshot scheduling;
  Duration took;  // From the first workload to the last pod.
};

std::string SummaryText(const DemoResult& result);
// What to type next, while the cluster is up. `export_line` points kubectl at it.
std::string NextSteps(const DemoResult& result, const std::string& export_line);
// What to type next, when it is gone.
std::string StepsAfterwards();

}  // namespace berth
