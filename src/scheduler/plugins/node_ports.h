// NodePorts rejects nodes where a host port of the pod is in use.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodePorts final : public framework::PreFilterPlugin, public framework::NodeFilter {
 public:
  static constexpr std::string_view kName = "NodePorts";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  // In a dry run, a removed pod frees its ports even if another pod uses them too, as upstream.
  void PodAdded(framework::Cycle& cycle, const model::PodRecord& pod,
                model::NodeRow node) const override;
  void PodRemoved(framework::Cycle& cycle, const model::PodRecord& pod,
                  model::NodeRow node) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override;
  framework::Verdict FilterNodes(const framework::Cycle& cycle,
                                 model::NodeMask& nodes) const override;
  framework::Reads reads() const override { return framework::Reads::kNode; }
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;
};

}  // namespace berth::scheduler::plugins
