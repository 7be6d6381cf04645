// VolumeRestrictions prevents two pods from using one disk where the disk does not allow it: the
// same inline disk on one node, or a ReadWriteOncePod claim anywhere.
#pragma once

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class VolumeRestrictions final : public framework::PreFilterPlugin, public framework::NodeFilter {
 public:
  static constexpr std::string_view kName = "VolumeRestrictions";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  // Rejects a pod that names a claim which does not exist.
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void PodAdded(framework::Cycle& cycle, const model::PodRecord& pod,
                model::NodeRow node) const override;
  void PodRemoved(framework::Cycle& cycle, const model::PodRecord& pod,
                  model::NodeRow node) const override;
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;
};

}  // namespace berth::scheduler::plugins
