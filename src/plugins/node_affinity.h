// NodeAffinity keeps a pod to the nodes that its nodeSelector and required node affinity match, and
// those that the operator's addedAffinity matches; and prefers nodes by the weights of the
// preferred terms.
#pragma once

#include "base/result.h"
#include "framework/plugin.h"
#include "plugins/args.h"

namespace berth {

class NodeAffinity final : public PreFilterPlugin,
                           public FilterPlugin,
                           public PreScorePlugin,
                           public ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeAffinity";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  // Fails if a term of addedAffinity does not parse.
  static Result<std::unique_ptr<Plugin>> Make(const NodeAffinityArgs& args);

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  // Restricts the search to the nodes that every required term names by metadata.name.
  PreFilterResult PreFilter(Cycle& cycle) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;
  Scope filter_scope() const override { return Scope::kNode; }

  Verdict PreScore(Cycle& cycle, const NodeMask& feasible) const override;
  // The sum of the weights of the matching preferred terms.
  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const override;
  bool normalizes() const override { return true; }
  void Normalize(const Cycle& cycle, const NodeMask& feasible,
                 std::span<int64_t> scores) const override;
  Scope score_scope() const override { return Scope::kNode; }

 private:
  explicit NodeAffinity(NodeAffinityArgs args) : args_(std::move(args)) {}

  const NodeAffinityArgs args_;
};

}  // namespace berth
