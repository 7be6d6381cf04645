// DefaultPreemption makes room for a pod that fits nowhere by evicting less important pods from one
// node.
//
// It tries nodes out, on the model, until it has enough candidates: all less important pods leave,
// and as many as still fit are let back in, those protected by a disruption budget first. Of the
// candidates it takes the one whose victims matter least.
#pragma once

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class DefaultPreemption final : public framework::PreEnqueuePlugin,
                                public framework::PostFilterPlugin {
 public:
  static constexpr std::string_view kName = "DefaultPreemption";
  std::string_view name() const override { return kName; }

  // No event helps a pod past its own preemption: it is let in when its victims are on their way.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  static Result<std::unique_ptr<framework::Plugin>> Make(
      const framework::DefaultPreemptionArgs& args);

  // The class's DryRunCache.
  std::unique_ptr<framework::ClassState> Compile(model::Cluster&,
                                                 const model::PodClass&) const override;

  // Holds a pod back while its victims are being evicted, until the last of them is on its way.
  framework::Verdict PreEnqueue(const model::Cluster& cluster,
                                const model::PodRecord& pod) const override;
  Task<framework::PostFilterResult> PostFilter(framework::FailedCycle& failed) const override;

 private:
  explicit DefaultPreemption(framework::DefaultPreemptionArgs args) : args_(args) {}

  // How many candidates to collect among `potential` nodes.
  size_t WantedCandidates(size_t potential) const;

  const framework::DefaultPreemptionArgs args_;
};

}  // namespace berth::scheduler::plugins
