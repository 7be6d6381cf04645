// The workloads of the demonstration: ten thousand pods of all sorts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/registry/api.h"
#include "apiserver/store/store.h"
#include "base/result.h"
#include "base/time.h"
#include "cmd/up_cluster.h"
#include "cmd/up_status.h"
#include "runtime/driver_snapshot.h"

namespace berth::cmd {

inline constexpr size_t kDemoNodes = 1'000;

// Creates them in namespaces of their own. Returns how many pods they ask for.
Result<size_t> CreateDemoWorkloads(apiserver::registry::Api& api);

// The summary of the demonstration.
// How much of a zone is asked for.
struct ZoneUtilization {
  std::string zone;  // "(none)" for nodes without the label.
  size_t nodes = 0;
  size_t pods = 0;
  int64_t milli_cpu = 0, milli_cpu_capacity = 0;
  int64_t memory = 0, memory_capacity = 0;
};

// By name. Reads every node and pod.
std::vector<ZoneUtilization> ZoneUsage(apiserver::store::Store& store);

struct DemoResult {
  ClusterCounts counts;
  PendingPods pending;
  std::vector<ZoneUtilization> zones;
  runtime::DriverSnapshot scheduling;
  Duration took;  // From the first workload to the last pod.
};

std::string SummaryText(const DemoResult& result);
// What to type next, while the cluster is up. `export_line` points kubectl at it.
std::string NextSteps(const DemoResult& result, const std::string& export_line);
// What to type next, when it is gone.
std::string NextStepsAfterExit();

// The demonstration: `berth up --demo`.
// Creates the workloads and waits until every pod is placed or has been told why not, with a
// progress bar on a terminal. Nothing if a signal came first.
Result<std::optional<DemoResult>> RunDemoWorkloads(UpCluster& cluster, bool terminal);

}  // namespace berth::cmd
