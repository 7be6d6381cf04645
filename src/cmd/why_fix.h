// `berth why --fix N`: how a fix is made, or making it.
#pragma once

#include "cmd/why_cluster.h"
#include "cmd/why_options.h"
#include "explain/pod_explanation.h"
#include "scheduler/framework/registry.h"

namespace berth::cmd {

// Prints or applies fix --fix of the pod, as the options say. Returns the exit code.
int PrintFix(const WhyOptions& options, const WhyCluster& cluster,
             const scheduler::framework::Registry& registry, const explain::PodExplanation& pod);

}  // namespace berth::cmd
