// VolumeRestrictions keeps two pods from using one disk where the disk does not allow it: the same
// inline disk on one node, or a ReadWriteOncePod claim anywhere.
#pragma once

#include "framework/node_at_a_time.h"
#include "framework/plugin.h"

namespace berth {

class VolumeRestrictions final : public PreFilterPlugin, public NodeFilter {
 public:
  static constexpr std::string_view kName = "VolumeRestrictions";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  // Rejects a pod that names a claim which does not exist.
  PreFilterResult PreFilter(Cycle& cycle) const override;
  void PodAdded(Cycle& cycle, const PodRecord& pod, NodeRow node) const override;
  void PodRemoved(Cycle& cycle, const PodRecord& pod, NodeRow node) const override;
  Verdict FilterNode(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;
};

}  // namespace berth
