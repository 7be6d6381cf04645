// VolumeBinding keeps a pod to nodes from where its volumes can be reached, and where volumes can
// be found or made for its claims that wait for a node; and binds those before the pod is bound.
#pragma once

#include "base/result.h"
#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class VolumeBinding final : public PreFilterPlugin,
                            public FilterPlugin,
                            public PreScorePlugin,
                            public ScorePlugin,
                            public ReservePlugin,
                            public PreBindPlugin {
 public:
  static constexpr std::string_view kName = "VolumeBinding";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  static Result<std::unique_ptr<Plugin>> Make(const VolumeBindingArgs& args);

  // Rejects a pod whose claims are not in order, or not bound although they need not wait for it.
  PreFilterResult PreFilter(Cycle& cycle) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;

  // Nodes are not scored by their storage: in Kubernetes 1.36 that is behind a feature gate that is
  // off. The plugin has its place among the scorers all the same, as users can see it there.
  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override;
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;

  // Assumes the volumes and claims to be as PreBind will write them.
  Verdict Reserve(Cycle& cycle, NodeRow node) const override;
  void Unreserve(Cycle& cycle, NodeRow node) const override;
  PreBindPlan PreBindPreFlight(const Cycle& cycle, NodeRow node) const override;
  // Writes them, then waits until the claims are bound. What was written stays if that fails.
  Task<Verdict> PreBind(BindingContext& binding) const override;

 private:
  explicit VolumeBinding(Duration timeout) : timeout_(timeout) {}

  const Duration timeout_;
};

}  // namespace berth
