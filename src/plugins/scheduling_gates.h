// SchedulingGates keeps a pod out of the queue until all its scheduling gates are removed.
#pragma once

#include "framework/plugin.h"

namespace berth {

class SchedulingGates final : public PreEnqueuePlugin {
 public:
  static constexpr std::string_view kName = "SchedulingGates";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  Verdict PreEnqueue(const Cluster& cluster, const PodRecord& pod) const override;
};

}  // namespace berth
