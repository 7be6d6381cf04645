// PodTopologySpread spreads the pods of a group over the domains of a topology: hosts, zones,
// regions.
//
// Hard constraints forbid nodes whose domain would get too far ahead of the emptiest one; soft
// constraints prefer nodes in emptier domains. The counts per domain come from the cluster's
// counters.
#pragma once

#include "base/result.h"
#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class PodTopologySpread final : public PreFilterPlugin,
                                public FilterPlugin,
                                public PreScorePlugin,
                                public ScorePlugin {
 public:
  static constexpr std::string_view kName = "PodTopologySpread";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  static Result<std::unique_ptr<Plugin>> Make(const PodTopologySpreadArgs& args);

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  PreFilterResult PreFilter(Cycle& cycle) const override;
  void PodAdded(Cycle& cycle, const PodRecord& pod, NodeRow node) const override;
  void PodRemoved(Cycle& cycle, const PodRecord& pod, NodeRow node) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;

  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override;
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  bool normalizes() const override { return true; }
  void Normalize(const Cycle& cycle, const NodeMask& feasible,
                 std::span<int64_t> scores) const override;
  bool AddScores(const Cycle& cycle, int32_t weight, std::span<int32_t> totals,
                 std::span<int32_t> scratch) const override;

 private:
  explicit PodTopologySpread(PodTopologySpreadArgs args) : args_(std::move(args)) {}

  void Adjust(Cycle& cycle, const PodRecord& pod, NodeRow node, int32_t delta) const;

  const PodTopologySpreadArgs args_;
};

}  // namespace berth
