// NodeVolumeLimits rejects nodes where the pod's volumes would exceed what a CSI driver can attach.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeVolumeLimits final : public framework::PreFilterPlugin, public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeVolumeLimits";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  // Evaluates only the nodes with too little capacity left.
  framework::Verdict Filter(const framework::Cycle& cycle, model::NodeMask& nodes) const override;
  framework::Verdict Explain(const framework::Cycle& cycle, model::NodeRow node) const override;
  framework::Described DescribeFilter(const framework::Cycle& cycle,
                                      framework::SearchRules& rules) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;
};

}  // namespace berth::scheduler::plugins
