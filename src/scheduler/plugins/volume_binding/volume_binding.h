// VolumeBinding restricts a pod to nodes with access to its volumes, and where volumes can be found
// or provisioned for its claims that wait for a node; and binds those before the pod is bound.
#pragma once

#include <utility>
#include <vector>

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class VolumeBinding final : public framework::PreFilterPlugin,
                            public framework::NodeFilter,
                            public framework::PreScorePlugin,
                            public framework::ScorePlugin,
                            public framework::ReservePlugin,
                            public framework::PreBindPlugin {
 public:
  static constexpr std::string_view kName = "VolumeBinding";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  static Result<std::unique_ptr<framework::Plugin>> Make(const framework::VolumeBindingArgs& args);

  // Rejects a pod whose claims are invalid, or not bound although they do not wait for a node.
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override;
  framework::Verdict FilterNodes(const framework::Cycle& cycle,
                                 model::NodeMask& nodes) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;

  // With the feature StorageCapacityScoring: by the utilization of the storage that the pod's
  // claims would use, on average over the storage classes.
  framework::Verdict PreScore(framework::Cycle& cycle,
                              const model::NodeMask& feasible) const override;
  framework::Verdict Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                           std::span<int64_t> out) const override;
  framework::Described DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                     framework::SearchRules& rules) const override;

  // Assumes the volumes and claims as PreBind will write them.
  framework::Verdict Reserve(framework::Cycle& cycle, model::NodeRow node) const override;
  void Unreserve(framework::Cycle& cycle, model::NodeRow node) const override;
  framework::PreBindPlan PreBindPreFlight(const framework::Cycle& cycle,
                                          model::NodeRow node) const override;
  // Writes them, then waits until the claims are bound. The writes remain if that fails.
  Task<framework::Verdict> PreBind(framework::BindingContext& binding) const override;

 private:
  VolumeBinding(Duration timeout, std::vector<framework::ShapePoint> shape)
      : timeout_(timeout), shape_(std::move(shape)) {}

  Task<framework::Verdict> BindPodVolumes(framework::BindingContext& binding) const;

  const Duration timeout_;
  const std::vector<framework::ShapePoint> shape_;  // Scores scaled to 0..100.
};

}  // namespace berth::scheduler::plugins
