// NodeVolumeLimits rejects nodes where the pod's volumes would exceed what a CSI driver can attach.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeVolumeLimits final : public framework::PreFilterPlugin, public framework::NodeFilter {
 public:
  static constexpr std::string_view kName = "NodeVolumeLimits";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  // Evaluates only the nodes with too little capacity left.
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override;
  // Looks at the nodes alone that have few attachments left, where that suffices.
  framework::Verdict FilterNodes(const framework::Cycle& cycle,
                                 model::NodeMask& nodes) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;
};

}  // namespace berth::scheduler::plugins
