// NodeResourcesFit rejects nodes without enough free resources, and prefers nodes by their
// utilization with the pod: lower (LeastAllocated), higher (MostAllocated), or by a function
// (RequestedToCapacityRatio).
#pragma once

#include <optional>

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::plugins {

class NodeResourcesFit final : public framework::PreFilterPlugin,
                               public framework::FilterPlugin,
                               public framework::PreScorePlugin,
                               public framework::ScorePlugin,
                               public framework::PlacementScorePlugin,
                               public framework::ResourceFilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesFit";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  // Fails if the arguments are invalid, with kube-scheduler's texts.
  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::NodeResourcesFitArgs& args);

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Reads reads() const override { return framework::Reads::kSums; }
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;

  framework::Verdict PreScore(framework::Cycle& cycle,
                              const model::NodeMask& feasible) const override;
  framework::Rating Rate(const framework::Cycle& cycle) const override;
  framework::Scope score_scope() const override { return framework::Scope::kNode; }
  uint64_t score_epoch(const model::Cluster& cluster) const override;

  bool ChecksScalar(const model::Cluster& cluster, model::ScalarId resource) const override;

  // Prefers the placement with the higher utilization, whatever the strategy for nodes is.
  framework::Verdict ScorePlacements(const model::Cluster& cluster, const api::ObjectKey& group,
                                     std::span<const framework::PlacementAssignments> placements,
                                     std::span<int64_t> out) const override;

 private:
  NodeResourcesFit(framework::NodeResourcesFitArgs args, framework::UsageScore::Curve curve,
                   std::vector<framework::ShapePoint> shape, bool scores_devices)
      : args_(std::move(args)),
        curve_(curve),
        shape_(std::move(shape)),
        scores_devices_(scores_devices) {}

  bool Ignores(const std::string& resource) const;

  const framework::NodeResourcesFitArgs args_;
  const framework::UsageScore::Curve curve_;
  const std::vector<framework::ShapePoint> shape_;  // Scores scaled to 0..100.
  const bool scores_devices_;
};

}  // namespace berth::scheduler::plugins
