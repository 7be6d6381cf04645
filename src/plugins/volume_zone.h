// VolumeZone keeps a pod to the zones and regions that the labels of its PersistentVolumes name.
#pragma once

#include "framework/plugin.h"

namespace berth {

class VolumeZone final : public PreFilterPlugin, public FilterPlugin {
 public:
  static constexpr std::string_view kName = "VolumeZone";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  // Rejects a pod with a claim that has no volume and will get none while the pod waits.
  PreFilterResult PreFilter(Cycle& cycle) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;
};

}  // namespace berth
