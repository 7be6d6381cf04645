// NodeName rejects all nodes but the one that the pod names, if it does.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class NodeName final : public framework::NodeFilter {
 public:
  static constexpr std::string_view kName = "NodeName";
  std::string_view name() const override { return kName; }

  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;

  framework::Conditions Require(const framework::Cycle& cycle) const override;
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override;
  framework::Reads reads() const override { return framework::Reads::kNodeAlone; }
};

}  // namespace berth::scheduler::plugins
