// The table that `berth bench` prints.
#pragma once

#include <span>
#include <string>

#include "benchmark/perf_run.h"

namespace berth::cmd {

// Returns one line per measurement, and one for that of a peer with the ratio of both. Columns that
// no line has are left out. Below are the workloads that were skipped, and notes.
std::string BenchTable(std::span<const benchmark::WorkloadReport> reports);

}  // namespace berth::cmd
