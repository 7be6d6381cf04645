// DynamicResources, as far as pods without resource claims see it: its place in the default
// profile, its score of nothing, and its word in the message of a pod that fits nowhere.
//
// Pods with resource claims are kept out of the queue: with kube-scheduler's reason while a claim
// is missing, then with one that says that Berth allocates no devices.
#pragma once

#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class DynamicResources final : public PreEnqueuePlugin,
                               public PreFilterPlugin,
                               public FilterPlugin,
                               public PostFilterPlugin,
                               public ScorePlugin,
                               public ReservePlugin,
                               public PreBindPlugin {
 public:
  static constexpr std::string_view kName = "DynamicResources";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  Verdict PreEnqueue(const Cluster& cluster, const PodRecord& pod) const override;
  PreFilterResult PreFilter(Cycle& cycle) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  Scope filter_scope() const override { return Scope::kNode; }
  Task<PostFilterResult> PostFilter(FailedCycle& failed) const override;
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  Scope score_scope() const override { return Scope::kNode; }

  // Nothing to reserve or to write for a pod without claims.
  Verdict Reserve(Cycle& cycle, NodeRow node) const override;
  void Unreserve(Cycle& cycle, NodeRow node) const override;
  PreBindPlan PreBindPreFlight(const Cycle& cycle, NodeRow node) const override;
  Task<Verdict> PreBind(BindingContext& binding) const override;
};

}  // namespace berth
