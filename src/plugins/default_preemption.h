// DefaultPreemption makes room for a pod that fits nowhere by evicting less important pods from one
// node.
//
// It tries nodes out, on the model, until it has enough candidates: all less important pods leave,
// and as many as still fit are let back in, those protected by a disruption budget first. Of the
// candidates it takes the one whose victims matter least.
#pragma once

#include "base/result.h"
#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class DefaultPreemption final : public PreEnqueuePlugin, public PostFilterPlugin {
 public:
  static constexpr std::string_view kName = "DefaultPreemption";
  std::string_view name() const override { return kName; }

  // No event helps a pod past its own preemption: it is let in when its victims are on their way.
  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  static Result<std::unique_ptr<Plugin>> Make(const DefaultPreemptionArgs& args);

  // The class's KeptTrials.
  std::unique_ptr<const ClassState> Compile(Cluster&, const PodClass&) const override;

  // Holds a pod back while its victims are being evicted, until the last of them is on its way.
  Verdict PreEnqueue(const Cluster& cluster, const PodRecord& pod) const override;
  Task<PostFilterResult> PostFilter(FailedCycle& failed) const override;

 private:
  explicit DefaultPreemption(DefaultPreemptionArgs args) : args_(args) {}

  // How many candidates to collect among `potential` nodes.
  size_t WantedCandidates(size_t potential) const;

  const DefaultPreemptionArgs args_;
};

}  // namespace berth
