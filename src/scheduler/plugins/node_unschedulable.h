// NodeUnschedulable rejects cordoned nodes, unless the pod tolerates the corresponding taint.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeUnschedulable final : public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeUnschedulable";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Reads reads() const override { return framework::Reads::kNodeAlone; }
};

}  // namespace berth::scheduler::plugins
