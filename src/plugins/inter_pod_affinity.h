// InterPodAffinity keeps a pod near the pods it requires and away from those it cannot bear, and
// away from pods that cannot bear it; and prefers nodes by the preferred terms in both directions.
//
// All of it is read off counters per topology domain that the cluster keeps current: no pod is
// looked at.
#pragma once

#include "base/result.h"
#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class InterPodAffinity final : public PreFilterPlugin,
                               public FilterPlugin,
                               public PreScorePlugin,
                               public ScorePlugin {
 public:
  static constexpr std::string_view kName = "InterPodAffinity";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  static Result<std::unique_ptr<Plugin>> Make(const InterPodAffinityArgs& args);

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  // Skips pods that neither have required terms nor are unwelcome anywhere.
  PreFilterResult PreFilter(Cycle& cycle) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;

  // Skips pods that no preferred term concerns.
  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override;
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  bool normalizes() const override { return true; }
  void Normalize(const Cycle& cycle, const NodeMask& feasible,
                 std::span<int64_t> scores) const override;
  bool AddScores(const Cycle& cycle, int32_t weight, std::span<int32_t> totals,
                 std::span<int32_t> scratch) const override;

 private:
  explicit InterPodAffinity(InterPodAffinityArgs args) : args_(args) {}

  const InterPodAffinityArgs args_;
};

}  // namespace berth
