// GangScheduling is known so that configurations which name it load as they do in kube-scheduler.
//
// It concerns pods with spec.schedulingGroup, a field that exists only where the feature gate
// GangScheduling is on; the gate is alpha and off, and Berth has no other setting for it. Every pod
// is therefore one without a group, which the plugin lets pass. config/notes.h tells users who
// enable it that gangs are not formed.
#pragma once

#include "framework/plugin.h"

namespace berth {

class GangScheduling final : public PreEnqueuePlugin, public PermitPlugin {
 public:
  static constexpr std::string_view kName = "GangScheduling";
  std::string_view name() const override { return kName; }

  Verdict PreEnqueue(const Cluster&, const PodRecord&) const override { return {}; }
  PermitResult Permit(Cycle&, NodeRow, WaitingPods&) const override { return {}; }
};

}  // namespace berth
