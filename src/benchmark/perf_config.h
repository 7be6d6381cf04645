// PerfConfig is a file of kube-scheduler's benchmark, scheduler_perf: test cases, each a template
// of operations and workloads with its parameters.
//
// Decoding is strict: an unknown opcode or field and an undefined parameter is an error that names
// the file, the test case, the workload and the field. Sizes are limited, since a file comes
// from a user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "benchmark/measurement.h"
#include "benchmark/operations.h"

namespace berth::benchmark {

// Far beyond any benchmark that a machine can run; less than what would overflow a sum.
inline constexpr int64_t kMaxCount = 100'000'000;
// Operations of all workloads of a file: scheduler_perf's have some hundred.
inline constexpr size_t kMaxOperationsPerFile = 200'000;
// scheduler_perf's largest file has 30 kB.
inline constexpr size_t kMaxPerfConfigBytes = 4 << 20;

struct Workload {
  std::string name;  // "SchedulingBasic/5Nodes"
  std::vector<std::string> labels;
  std::map<std::string, bool> feature_gates;
  std::optional<Threshold> threshold;
  std::string scheduler_config;  // Path, relative to the file; empty for the default.
  std::vector<Operation> operations;
  std::vector<std::string> notes;  // What it has that is not used.
};

// Decodes the file `path` with content `text`. Sets of pods are unrolled.
Result<std::vector<Workload>> DecodePerfConfig(std::string_view path, std::string_view text);

// Reports whether labels satisfy a filter as that of scheduler_perf: "performance,-short" wants one
// and excludes the other.
bool MatchesLabels(const std::vector<std::string>& labels, std::string_view filter);

}  // namespace berth::benchmark
