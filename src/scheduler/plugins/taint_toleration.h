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
  // By the number of soft taints that the pod does not tolerate.
  framework::Rating Rate(const framework::Cycle& cycle) const override;
  framework::Scale scale() const override { return framework::Scale::kHighestReversed; }
  framework::Scope score_scope() const override { return framework::Scope::kNode; }
};

}  // namespace berth::scheduler::plugins
