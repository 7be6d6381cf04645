// `berth up --demo`: the workloads (10,000 pods), the run and its summary.
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

// Creates the workloads in their own namespaces. Returns the number of pods they request.
Result<size_t> CreateDemoWorkloads(apiserver::registry::Api& api);

// The resources requested in one zone.
struct ZoneUtilization {
  std::string zone;  // "(none)" for nodes without the label.
  size_t nodes = 0;
  size_t pods = 0;
  int64_t milli_cpu = 0, milli_cpu_capacity = 0;
  int64_t memory = 0, memory_capacity = 0;
};

// Returns the zones by name. Reads every node and pod.
std::vector<ZoneUtilization> ZoneUsage(apiserver::store::Store& store);

struct DemoResult {
  ClusterCounts counts;
  PendingPods pending;
  std::vector<ZoneUtilization> zones;
  runtime::DriverSnapshot scheduling;
  Duration took;  // From the first workload until the last pod was bound or unschedulable.
};

std::string SummaryText(const DemoResult& result);
// Returns commands to try while the cluster is up. `export_line` sets KUBECONFIG.
std::string NextSteps(const DemoResult& result, const std::string& export_line);
// Returns commands to try after the demo has exited.
std::string NextStepsAfterExit();

// Creates the workloads and waits until every pod is bound or unschedulable, with a progress bar on
// a terminal. Returns nullopt if a stop signal arrived first.
Result<std::optional<DemoResult>> RunDemoWorkloads(UpCluster& cluster, bool terminal);

}  // namespace berth::cmd
