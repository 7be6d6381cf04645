// The workloads of the demonstration: ten thousand pods of all sorts.
#pragma once

#include <cstddef>

#include "apiserver/api.h"
#include "base/result.h"

namespace berth {

inline constexpr size_t kDemoNodes = 1'000;

// Creates them in namespaces of their own. Returns how many pods they ask for.
Result<size_t> CreateDemoWorkloads(apiserver::Api& api);

}  // namespace berth
