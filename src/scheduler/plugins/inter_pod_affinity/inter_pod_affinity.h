// InterPodAffinity places a pod near the pods that its affinity requires, away from those that its
// anti-affinity excludes, and away from pods whose anti-affinity excludes it; and prefers nodes by
// the preferred terms in both directions.
//
// All of it is read from the cluster's counters per topology domain: no pod is evaluated.
#pragma once

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class InterPodAffinity final : public framework::PreFilterPlugin,
                               public framework::FilterPlugin,
                               public framework::PreScorePlugin,
                               public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "InterPodAffinity";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::InterPodAffinityArgs& args);

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  // Skips pods that have no required terms and that no existing term excludes.
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;

  // Skips pods that no preferred term matches.
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
  explicit InterPodAffinity(framework::InterPodAffinityArgs args) : args_(args) {}

  const framework::InterPodAffinityArgs args_;
};

}  // namespace berth::scheduler::plugins
