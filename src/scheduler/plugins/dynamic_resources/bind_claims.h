// PreBind of DynamicResources: binds the claims of a pod, and waits until their devices are ready.
#pragma once

#include "base/task.h"
#include "base/time.h"
#include "scheduler/framework/writes.h"
#include "scheduler/plugins/dynamic_resources/claim_state.h"

namespace berth::scheduler::plugins {

// Binds the claims of the pod in order, and waits for at most `timeout` for the binding conditions
// of their devices. Both references must outlive the task.
Task<framework::Verdict> BindClaims(framework::BindingContext& binding, PodClaims& pod,
                                    Duration timeout);

}  // namespace berth::scheduler::plugins
