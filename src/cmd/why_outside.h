// What `berth why` says about pods besides scheduling: reads what the model does not have, the raw
// JSON of pods and workloads, and their events.
#pragma once

#include <optional>

#include "cmd/why_cluster.h"
#include "explain/change.h"
#include "explain/pod_explanation.h"
#include "explain/wording.h"

namespace berth::cmd {

// Replaces the sentence by what decides, if that is not the scheduler: of a pod that has a node or
// is being deleted, what keeps it from running; of one that fits nowhere, what autoscalers say.
// What may not be read is left out.
void AddOutside(WhyCluster& cluster, explain::PodExplanation& pod);

// Returns why not all pods of the workload were created.
std::optional<explain::Sentence> WhyNotCreated(WhyCluster& cluster,
                                               const explain::ObjectName& workload);

}  // namespace berth::cmd
