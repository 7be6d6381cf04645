// The resource claims that a pod names, or that were made for it from templates.
#pragma once

#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {

// In the order of spec.resourceClaims, without those that were deliberately not made. Fails with
// the sentence that users see if one is missing, going, or somebody else's.
Result<std::vector<const api::ResourceClaim*>> ClaimsOf(const model::Cluster& cluster,
                                                        const api::Pod& pod);

// DynamicResources, as far as pods without resource claims see it: its place in the default
// profile, its score of nothing, and its word in the message of a pod that fits nowhere.
//
// Pods with resource claims are kept out of the queue: with kube-scheduler's reason while a claim
// is missing, then with one that says that Berth allocates no devices.
class DynamicResources final : public framework::PreEnqueuePlugin,
                               public framework::PreFilterPlugin,
                               public framework::FilterPlugin,
                               public framework::PostFilterPlugin,
                               public framework::ScorePlugin,
                               public framework::ReservePlugin,
                               public framework::PreBindPlugin {
 public:
  static constexpr std::string_view kName = "DynamicResources";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  framework::Verdict PreEnqueue(const model::Cluster& cluster,
                                const model::PodRecord& pod) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Verdict Filter(const framework::Cycle& cycle, model::NodeMask& nodes) const override;
  framework::Verdict Explain(const framework::Cycle& cycle, model::NodeRow node) const override;
  framework::Scope filter_scope() const override { return framework::Scope::kNode; }
  Task<framework::PostFilterResult> PostFilter(framework::FailedCycle& failed) const override;
  framework::Verdict Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                           std::span<int64_t> out) const override;
  framework::Scope score_scope() const override { return framework::Scope::kNode; }

  // Nothing to reserve or to write for a pod without claims.
  framework::Verdict Reserve(framework::Cycle& cycle, model::NodeRow node) const override;
  void Unreserve(framework::Cycle& cycle, model::NodeRow node) const override;
  framework::PreBindPlan PreBindPreFlight(const framework::Cycle& cycle,
                                          model::NodeRow node) const override;
  Task<framework::Verdict> PreBind(framework::BindingContext& binding) const override;
};

}  // namespace berth::scheduler::plugins
