// DefaultPreemption makes a pod schedulable that fits nowhere by evicting pods of lower priority
// from one node; and, with the feature WorkloadAwarePreemption, a group of pods by evicting pods of
// lower priority from any nodes.
//
// It tries nodes, on the model, until it has enough candidates: all pods of lower priority are
// removed, and as many as still fit are reprieved, those protected by a disruption budget first. Of
// the candidates it selects the one with the least important victims (VictimCriterion).
#pragma once

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::plugins {

class DefaultPreemption final : public framework::PreEnqueuePlugin,
                                public framework::PostFilterPlugin,
                                public framework::PodGroupPostFilterPlugin {
 public:
  static constexpr std::string_view kName = "DefaultPreemption";
  std::string_view name() const override { return kName; }

  // No event requeues a pod during its own preemption: it is activated when its victims are
  // terminating.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::DefaultPreemptionArgs& args);

  // Returns the class's DryRunCache.
  std::unique_ptr<framework::ClassState> Compile(model::Cluster&,
                                                 const model::PodClass&) const override;

  // Gates a pod while its victims, or those of its group, are being evicted, until the last of them
  // is terminating. No pod waits so without the feature gate SchedulerAsyncPreemption.
  framework::Verdict PreEnqueue(const model::Cluster& cluster,
                                const model::PodRecord& pod) const override;
  Task<framework::PostFilterResult> PostFilter(framework::FailedCycle& failed) const override;
  Task<framework::PodGroupPostFilterResult> PodGroupPostFilter(
      framework::FailedGroup& failed) const override;

 private:
  explicit DefaultPreemption(framework::DefaultPreemptionArgs args) : args_(args) {}

  // Returns how many candidates to collect among `potential` nodes.
  size_t WantedCandidates(size_t potential) const;

  const framework::DefaultPreemptionArgs args_;
};

}  // namespace berth::scheduler::plugins
