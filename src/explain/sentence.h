// Sentence says in the words of a pod's author what decides about it: the obstacle to remove first
// of a pod that fits nowhere, or what it waits for.
#pragma once

#include <string>

#include "api/pod.h"
#include "base/time.h"
#include "explain/pod_explanation.h"
#include "scheduler/engine/decision.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/pod_fit.h"

namespace berth::explain {

// Returns the sentence for a pod of which the rest is explained; `pending` is the pod as it was
// decided about, and `decided` the account of that.
Sentence SentenceOf(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pending,
                    const scheduler::engine::Explanation& decided, const PodExplanation& pod,
                    Instant now);

// The same for a pod that no node takes, of which only `fit` is known: what Engine::Evaluate says
// about it on all nodes.
Sentence BriefSentenceOf(scheduler::engine::Engine& engine, const api::Ref<api::Pod>& pending,
                         scheduler::engine::PodFit fit, const PodExplanation& pod, Instant now);

// The same for a pod of a scheduler that no profile of the engine is; `profile` is one that exists.
Sentence UnservedSentence(const PodExplanation& pod, const std::string& profile);

// The same for a pod that nothing is decided about: it has finished, or waits at Permit.
Sentence SentenceWithoutDecision(const PodExplanation& pod);

}  // namespace berth::explain
