// TaintToleration rejects nodes with taints that the pod does not tolerate, and prefers nodes with
// fewer such soft (PreferNoSchedule) taints.
//
// Nodes share few distinct taint sets: each set is evaluated once per pod class, then each node
// costs one lookup.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class TaintToleration final : public framework::FilterPlugin,
                              public framework::PreScorePlugin,
                              public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "TaintToleration";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  // Preemption does not remove a taint.
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Reads reads() const override { return framework::Reads::kNodeAlone; }
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;

  framework::Verdict PreScore(framework::Cycle& cycle,
                              const model::NodeMask& feasible) const override;
  // Counts the soft taints that the pod does not tolerate.
  framework::Verdict Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                           std::span<int64_t> out) const override;
  bool normalizes() const override { return true; }
  void Normalize(const framework::Cycle& cycle, const model::NodeMask& feasible,
                 std::span<int64_t> scores) const override;
  framework::Scope score_scope() const override { return framework::Scope::kNode; }
  framework::Described DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                     framework::SearchRules& rules) const override;
};

}  // namespace berth::scheduler::plugins
