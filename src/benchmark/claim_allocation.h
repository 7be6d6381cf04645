// Allocates resource claims without pods, as the operation allocResourceClaims does: each on a node
// chosen at random.
#pragma once

#include <string>

#include "apiserver/registry/api.h"
#include "base/result.h"
#include "scheduler/engine/engine.h"

namespace berth::benchmark {

// Allocates all claims of a namespace, or of all if it is empty, that are not allocated yet. An
// engine with `options`, made for this, finds the devices. Fails if a claim cannot be allocated.
Status AllocateClaims(apiserver::registry::Api& api, const std::string& namespace_,
                      const scheduler::engine::EngineOptions& options,
                      const scheduler::framework::Registry& registry);

}  // namespace berth::benchmark
