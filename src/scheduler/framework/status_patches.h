// What writes of a status do: to the object, together with another write, and whether one is
// needed.
//
// Said once: for the engine, which merges writes and leaves out those that change nothing, and for
// all that stand in for an API server. Over HTTP the patches do the same (runtime/write_bodies.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "scheduler/framework/writes.h"

namespace berth::scheduler::framework {

// --- conditions ---

// Returns the condition of this type; null if there is none.
const api::PodCondition* FindCondition(const std::vector<api::PodCondition>& conditions,
                                       std::string_view type);
// Replaces the condition of its type, or adds it.
void SetCondition(const api::PodCondition& condition, std::vector<api::PodCondition>& conditions);

// Returns what is to be written for `wanted` over `current`, which may be null; nothing if that
// says the same: the generation and the time do not count. The transition time is that of `current`
// if the status is the same.
std::optional<api::PodCondition> ConditionOver(const api::PodCondition* current,
                                               api::PodCondition wanted);

// --- writes ---

// Change the object as the API server does when it gets the write.
void Apply(const PatchPodStatus& patch, api::PodStatus& status);
void Apply(const PatchPodGroupStatus& patch, api::PodGroup& group);
void Apply(const UpdateResourceClaimStatus& update, api::ResourceClaim& claim);
void Apply(const UnreserveResourceClaim& unreserve, api::ResourceClaim& claim);

// Returns a patch that does what both do, one after the other. They are about the same pod.
PatchPodStatus Merge(const PatchPodStatus& older, PatchPodStatus newer);
// Reports whether the patch changes nothing.
bool IsEmpty(const PatchPodStatus& patch);

}  // namespace berth::scheduler::framework
