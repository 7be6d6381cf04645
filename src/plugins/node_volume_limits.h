// NodeVolumeLimits keeps a pod off nodes where its volumes would exceed what a CSI driver can
// attach.
#pragma once

#include "framework/plugin.h"

namespace berth {

class NodeVolumeLimits final : public PreFilterPlugin, public FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodeVolumeLimits";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  PreFilterResult PreFilter(Cycle& cycle) const override;
  // Looks only at the nodes that have too little room left.
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;
};

}  // namespace berth
