// NodeUnschedulable rejects cordoned nodes, unless the pod tolerates the corresponding taint.
#pragma once

#include <optional>

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeUnschedulable final : public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeUnschedulable";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                            const framework::ClusterEvent& event) const override;

  std::unique_ptr<framework::ClassState> Compile(model::Cluster& cluster,
                                                 const model::PodClass& pod_class) const override;
  framework::Verdict Filter(const framework::Cycle& cycle, model::NodeMask& nodes) const override;
  framework::Verdict Explain(const framework::Cycle& cycle, model::NodeRow node) const override;
  // All rejections are alike.
  std::optional<uint32_t> RejectionKind(const framework::Cycle&, model::NodeRow) const override {
    return 0;
  }
  framework::Scope filter_scope() const override { return framework::Scope::kNode; }
  framework::SeenOfPods seen_of_pods() const override { return framework::SeenOfPods::kNone; }
  framework::Described DescribeFilter(const framework::Cycle& cycle,
                                      framework::SearchRules& rules) const override;
};

}  // namespace berth::scheduler::plugins
