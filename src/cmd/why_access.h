// Which fixes the asking user may make, by the RBAC of the cluster.
#pragma once

#include "cmd/live_cluster.h"
#include "explain/pod_explanation.h"

namespace berth::cmd {

// Asks the API server (SelfSubjectAccessReview) for what the steps of the fixes need, and notes at
// each fix what the user may not do. Without an answer nothing is noted.
void AddForbidden(LiveCluster& cluster, explain::PodExplanation& pod);

}  // namespace berth::cmd
