// SchedulingGates gates a pod until all its scheduling gates are removed.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class SchedulingGates final : public framework::PreEnqueuePlugin {
 public:
  static constexpr std::string_view kName = "SchedulingGates";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  framework::Verdict PreEnqueue(const model::Cluster& cluster,
                                const model::PodRecord& pod) const override;
};

}  // namespace berth::scheduler::plugins
