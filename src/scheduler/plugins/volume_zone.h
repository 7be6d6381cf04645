// VolumeZone restricts a pod to the zones and regions that the labels of its PersistentVolumes
// name.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class VolumeZone final : public framework::PreFilterPlugin, public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "VolumeZone";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  // Rejects a pod with a claim that has no volume and does not wait for a node.
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;
};

}  // namespace berth::scheduler::plugins
