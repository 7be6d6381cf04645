// NodeResourcesBalancedAllocation prefers nodes whose resources would be used more evenly with the
// pod than without it.
#pragma once

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeResourcesBalancedAllocation final : public framework::PreScorePlugin,
                                              public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesBalancedAllocation";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override { return {}; }

  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::NodeResourcesBalancedAllocationArgs& args);

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  // Skips pods that request none of the resources.
  framework::Verdict PreScore(framework::Cycle& cycle,
                              const model::NodeMask& feasible) const override;
  framework::Rating Rate(const framework::Cycle& cycle) const override;
  framework::Scope score_scope() const override { return framework::Scope::kNode; }
  uint64_t score_epoch(const model::Cluster& cluster) const override;

 private:
  NodeResourcesBalancedAllocation(framework::NodeResourcesBalancedAllocationArgs args,
                                  bool scores_devices)
      : args_(std::move(args)), scores_devices_(scores_devices) {}

  const framework::NodeResourcesBalancedAllocationArgs args_;
  const bool scores_devices_;
};

}  // namespace berth::scheduler::plugins
