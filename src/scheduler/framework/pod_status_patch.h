// What a PatchPodStatus does: to the status of a pod, and together with another.
#pragma once

#include "scheduler/framework/writes.h"

namespace berth::scheduler::framework {

// Changes the status as the API server does when it gets the patch.
void Apply(const PatchPodStatus& patch, api::PodStatus& status);

// Returns a patch that does what both do, one after the other. They are about the same pod.
PatchPodStatus Merge(const PatchPodStatus& older, PatchPodStatus newer);

}  // namespace berth::scheduler::framework
