// Decodes the operations of a workload template for one workload.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/json/json.h"
#include "base/result.h"
#include "benchmark/field_decoder.h"
#include "benchmark/operations.h"

namespace berth::benchmark {

// Of a workload, with its sets of pods unrolled: scheduler_perf's largest has a few hundred.
inline constexpr size_t kMaxOperations = 10'000;

// Returns one operation, or those of a set of pods. `where` names it in errors. `default_pod` is
// the template of pods without their own.
Result<std::vector<Operation>> DecodeOperations(const api::Json& json, const std::string& where,
                                                Parameters& parameters,
                                                const std::optional<std::string>& default_pod);

}  // namespace berth::benchmark
