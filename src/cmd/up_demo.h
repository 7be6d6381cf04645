// The demonstration: `berth up --demo`.
#pragma once

#include <optional>

#include "base/result.h"
#include "cmd/up_cluster.h"
#include "cmd/up_summary.h"

namespace berth {

// Creates the workloads and waits until every pod is placed or has been told why not, with a
// progress bar on a terminal. Nothing if a signal came first.
Result<std::optional<DemoResult>> PlayDemo(UpCluster& cluster, bool terminal);

}  // namespace berth
