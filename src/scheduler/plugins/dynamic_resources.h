// DynamicResources, for pods without resource claims only, and the resource claims of a pod.
#pragma once

#include <vector>

#include "api/pod.h"
#include "api/resource_claim.h"
#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {

// Returns the claims that the pod names or that were created for it from templates, in the order of
// spec.resourceClaims, without those that were deliberately not created. Fails with the message for
// users if one is missing, terminating, or belongs to another pod.
Result<std::vector<const api::ResourceClaim*>> ClaimsOf(const model::Cluster& cluster,
                                                        const api::Pod& pod);

// DynamicResources as it is for pods without resource claims: it takes part in the default profile,
// scores nothing, and is named in the message of a pod that fits nowhere.
//
// Pods with resource claims are gated while a claim is missing, as in kube-scheduler; then they are
// unschedulable, with the reason that Berth allocates no devices.
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

  // A pod without claims has nothing to reserve or write.
  framework::Verdict Reserve(framework::Cycle& cycle, model::NodeRow node) const override;
  void Unreserve(framework::Cycle& cycle, model::NodeRow node) const override;
  framework::PreBindPlan PreBindPreFlight(const framework::Cycle& cycle,
                                          model::NodeRow node) const override;
  Task<framework::Verdict> PreBind(framework::BindingContext& binding) const override;
};

}  // namespace berth::scheduler::plugins
