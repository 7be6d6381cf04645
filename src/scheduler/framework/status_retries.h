// How writes of a pod's or a group's status are retried while the API is busy, as by
// kube-scheduler.
#pragma once

#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/writes.h"

namespace berth::scheduler::framework {

inline constexpr int kMaxStatusTries = 4;

// Reports whether the API was busy, or another write came in between.
bool WorthRetrying(const WriteResult& result);
// The pause after so many tries; it grows with them. At most kMaxStatusTries.
Duration PauseAfter(int tries);

// Writes a patch of a status whose result the caller needs, and retries it. `patch` must live until
// then.
Task<WriteResult> WriteStatus(Async& async, const PatchPodStatus& patch);
Task<WriteResult> WriteStatus(Async& async, const PatchPodGroupStatus& patch);

}  // namespace berth::scheduler::framework
