// GangScheduling exists so that configurations which name it load as in kube-scheduler.
//
// It concerns pods with spec.schedulingGroup, a field that exists only where the feature gate
// GangScheduling is on; the gate is alpha and off, and Berth does not support it. Every pod is
// therefore one without a group, which the plugin accepts. The configuration's warnings tell users
// who enable it that gangs are not formed.
#pragma once

#include "scheduler/framework/plugin.h"

namespace berth::scheduler::plugins {

class GangScheduling final : public framework::PreEnqueuePlugin, public framework::PermitPlugin {
 public:
  static constexpr std::string_view kName = "GangScheduling";
  std::string_view name() const override { return kName; }

  framework::Verdict PreEnqueue(const model::Cluster&, const model::PodRecord&) const override {
    return {};
  }
  framework::PermitResult Permit(framework::Cycle&, model::NodeRow,
                                 framework::WaitingPods&) const override {
    return {};
  }
};

}  // namespace berth::scheduler::plugins
