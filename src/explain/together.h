// Together counts how many pods run at once: what is verified for one of them need not let all of
// them run.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "explain/fixes.h"
#include "scheduler/engine/engine.h"

namespace berth::explain {

// Pods of which it is tried: more cost more than the answer is worth.
inline constexpr size_t kMostTogether = 200;

// Returns how many of `pods`, the first kMostTogether of them at most, are placed one after the
// other once the fix is made: without preemption of others, unless the fix itself preempts.
// Changes of the pod are made to all of them if they are of one workload, otherwise to the first.
// Changes nothing in the engine.
size_t CountTogether(scheduler::engine::Engine& engine, const Fix& fix,
                     const std::vector<api::Ref<api::Pod>>& pods, bool one_workload, Instant now);

// Returns the fix that lowers the request, of which `fix` lowers it so far that only some of the
// pods run, to what lets all of them run. The placed replicas keep what they have: a rolling update
// takes it from them only once the new ones run. Nothing if a tenth of the request is too much.
std::optional<Fix> LowerForAll(scheduler::engine::Engine& engine, const Fix& fix,
                               const std::vector<api::Ref<api::Pod>>& pods, Instant now);

// Returns the fix that reduces the replicas of the workload to those that have a node; nothing if
// none has one.
std::optional<Fix> FewerReplicas(const scheduler::model::Cluster& cluster,
                                 const ObjectName& workload);

}  // namespace berth::explain
