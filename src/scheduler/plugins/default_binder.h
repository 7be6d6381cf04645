// DefaultBinder binds a pod to its node by posting a Binding.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class DefaultBinder final : public framework::BindPlugin {
 public:
  static constexpr std::string_view kName = "DefaultBinder";
  std::string_view name() const override { return kName; }

  // It rejects no pod.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override { return {}; }

  Task<framework::Verdict> Bind(framework::BindingContext& binding) const override;
};

}  // namespace berth::scheduler::plugins
