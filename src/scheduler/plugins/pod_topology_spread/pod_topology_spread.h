// PodTopologySpread spreads the pods of a group over the domains of a topology: hosts, zones,
// regions.
//
// Hard constraints exclude nodes whose domain would exceed the minimum by more than maxSkew; soft
// constraints prefer nodes in domains with fewer pods. The counts per domain come from the
// cluster's counters.
#pragma once

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class PodTopologySpread final : public framework::PreFilterPlugin,
                                public framework::FilterPlugin,
                                public framework::PreScorePlugin,
                                public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "PodTopologySpread";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::PodTopologySpreadArgs& args);

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void PodAdded(framework::Cycle& cycle, const model::PodRecord& pod,
                model::NodeRow node) const override;
  void PodRemoved(framework::Cycle& cycle, const model::PodRecord& pod,
                  model::NodeRow node) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;

  framework::Verdict PreScore(framework::Cycle& cycle,
                              const model::NodeMask& feasible) const override;
  framework::Verdict Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                           std::span<int64_t> out) const override;
  framework::Scale scale() const override { return framework::Scale::kOwn; }
  void Normalize(const framework::Cycle& cycle, const model::NodeMask& feasible,
                 std::span<int64_t> scores) const override;
  bool AddScores(const framework::Cycle& cycle, int32_t weight, std::span<int32_t> totals,
                 std::span<int32_t> scratch) const override;
  framework::Described DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                     framework::SearchRules& rules) const override;

 private:
  explicit PodTopologySpread(framework::PodTopologySpreadArgs args) : args_(std::move(args)) {}

  void Adjust(framework::Cycle& cycle, const model::PodRecord& pod, model::NodeRow node,
              int32_t delta) const;

  const framework::PodTopologySpreadArgs args_;
};

}  // namespace berth::scheduler::plugins
