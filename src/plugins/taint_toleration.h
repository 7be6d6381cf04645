// TaintToleration keeps a pod off nodes whose taints it does not tolerate, and prefers nodes with
// fewer soft (PreferNoSchedule) taints left.
//
// Nodes share few distinct taint sets: each set is judged once per pod class, then each node costs
// one look-up.
#pragma once

#include "framework/plugin.h"

namespace berth {

class TaintToleration final : public FilterPlugin, public PreScorePlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "TaintToleration";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  // Clears every node with an untolerated NoSchedule or NoExecute taint.
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  // Preemption cannot cure a taint: the answer is UnschedulableAndUnresolvable.
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;
  Scope filter_scope() const override { return Scope::kNode; }

  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override;
  // Counts the soft taints that the pod does not tolerate.
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  bool normalizes() const override { return true; }
  void Normalize(const Cycle& cycle, const NodeMask& feasible,
                 std::span<int64_t> scores) const override;
  Scope score_scope() const override { return Scope::kNode; }
};

}  // namespace berth
