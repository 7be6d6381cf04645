// Evaluate answers where a pod may go, by the rules of kube-scheduler v1.36, each applied as it is
// written down: every rule to every node, over whole objects, from scratch.
//
// It is the slow twin of the engine: tests and the checking mode compare the engine's decisions
// with it. Nothing is kept from one call to the next. A call costs about nodes times pods, times
// victims where preemption is tried.
#pragma once

#include "api/pod.h"
#include "base/time.h"
#include "twin/answer.h"
#include "twin/rules.h"
#include "twin/world.h"

namespace berth::twin {

// All nodes are looked at and scored. `pod` itself need not be in `world`; `now` is when pods
// without a start time started. Claims for devices are not looked at: the pod must not have any.
Answer Evaluate(const World& world, const api::Pod& pod, const Rules& rules, Instant now);

}  // namespace berth::twin
