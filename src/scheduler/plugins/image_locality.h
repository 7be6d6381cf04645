// ImageLocality prefers nodes that have the pod's images already: scores grow with the size of the
// images and the number of nodes that have them (so that pods do not concentrate on a single node).
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class ImageLocality final : public framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "ImageLocality";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override { return {}; }

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  framework::Verdict Score(const framework::Cycle& cycle, const model::NodeMask& nodes,
                           std::span<int64_t> out) const override;
  framework::Scope score_scope() const override { return framework::Scope::kNode; }
  framework::Described DescribeScore(const framework::Cycle& cycle, int32_t weight,
                                     framework::SearchRules& rules) const override;
  int64_t ScoreOneNode(const framework::Cycle& cycle, model::NodeRow node) const override;
  // An image's weight depends on how many nodes have it and how many nodes there are.
  uint64_t score_epoch(const model::Cluster& cluster) const override;
};

}  // namespace berth::scheduler::plugins
