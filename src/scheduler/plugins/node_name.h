// NodeName rejects all nodes but the one that the pod names, if it does.
#pragma once

#include <optional>

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeName final : public framework::FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeName";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;

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
