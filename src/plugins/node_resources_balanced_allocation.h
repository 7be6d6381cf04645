// NodeResourcesBalancedAllocation prefers nodes whose resources would be used more evenly with the
// pod than without it.
#pragma once

#include "base/result.h"
#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class NodeResourcesBalancedAllocation final : public PreScorePlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesBalancedAllocation";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<Interest> Interests() const override { return {}; }

  static Result<std::unique_ptr<Plugin>> Make(const NodeResourcesBalancedAllocationArgs& args);

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  // Skips pods that ask for none of the resources.
  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override;
  // 75 if the pod leaves the balance as it is, more if it mends it, less if it upsets it.
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  Scope score_scope() const override { return Scope::kNode; }

 private:
  explicit NodeResourcesBalancedAllocation(NodeResourcesBalancedAllocationArgs args)
      : args_(std::move(args)) {}

  const NodeResourcesBalancedAllocationArgs args_;
};

}  // namespace berth
