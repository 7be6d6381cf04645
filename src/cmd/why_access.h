// Which fixes the asking user may make, by the RBAC of the cluster.
#pragma once

#include <vector>

#include "cmd/live_cluster.h"
#include "explain/pod_explanation.h"
#include "runtime/permission_check.h"

namespace berth::cmd {

// Asks the API server (SelfSubjectAccessReview), each question once.
class AccessCheck {
 public:
  // Without a cluster nothing is asked. `cluster` must outlive this.
  explicit AccessCheck(LiveCluster* cluster) : cluster_(cluster) {}

  // Notes at each fix what of its steps the user may not do. Without an answer nothing is noted.
  void AddForbidden(explain::PodExplanation& pod);

 private:
  LiveCluster* cluster_;
  std::vector<runtime::Permission> asked_, missing_;
};

}  // namespace berth::cmd
