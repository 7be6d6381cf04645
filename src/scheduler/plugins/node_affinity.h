// NodeAffinity restricts a pod to the nodes that its nodeSelector, its required node affinity and
// the operator's addedAffinity match; and prefers nodes by the weights of the preferred terms.
#pragma once

#include <optional>

#include "base/result.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeAffinity final : public framework::PreFilterPlugin,
                           public framework::FilterPlugin,
                           public framework::PreScorePlugin,
                           public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeAffinity";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  // Fails if a term of addedAffinity does not parse.
  static Result<std::unique_ptr<framework::Plugin>> Make(const framework::NodeAffinityArgs& args);

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  // Restricts the search to the nodes that every required term names by metadata.name.
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Reads reads() const override { return framework::Reads::kNodeAlone; }
  std::string Details(const framework::Cycle& cycle, model::NodeRow node) const override;

  framework::Verdict PreScore(framework::Cycle& cycle,
                              const model::NodeMask& feasible) const override;
  // By the sum of the weights of the matching preferred terms.
  framework::Rating Rate(const framework::Cycle& cycle) const override;
  framework::Scale scale() const override { return framework::Scale::kHighest; }
  framework::Scope score_scope() const override { return framework::Scope::kNode; }

 private:
  explicit NodeAffinity(framework::NodeAffinityArgs args) : args_(std::move(args)) {}

  const framework::NodeAffinityArgs args_;
};

}  // namespace berth::scheduler::plugins
