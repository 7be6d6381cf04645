// Runs the conformance cases with PodGroups: a fresh engine with the case's feature gates schedules
// the pods, queue included, until nothing changes, and the state is compared with the recorded one;
// likewise after each step.
#pragma once

#include "base/result.h"
#include "cmd/conformance_comparison.h"
#include "cmd/conformance_file.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// Fails if the row does not have the documented format.
Result<Differences> RunGangCase(JsonFields::Value row,
                                const scheduler::framework::Registry& registry, bool paranoid);

// Returns the differences of `actual` from what `expected` says: what it does not mention is free.
Differences CompareGangState(api::JsonView expected, api::JsonView actual);

}  // namespace berth::cmd
