// NodePorts keeps a pod off nodes where a host port that it wants is taken.
#pragma once

#include "framework/plugin.h"

namespace berth {

class NodePorts final : public PreFilterPlugin, public FilterPlugin {
 public:
  static constexpr std::string_view kName = "NodePorts";
  std::string_view name() const override { return kName; }

  std::vector<Interest> Interests() const override;
  Result<bool> MayHelp(const Cluster& cluster, const PodRecord& pod,
                       const ClusterEvent& event) const override;

  std::unique_ptr<const ClassState> Compile(Cluster& cluster,
                                            const PodClass& pod_class) const override;
  PreFilterResult PreFilter(Cycle& cycle) const override;
  // When trying out a node, a pod that goes frees its ports even if another pod holds them too, as
  // upstream.
  void PodAdded(Cycle& cycle, const PodRecord& pod, NodeRow node) const override;
  void PodRemoved(Cycle& cycle, const PodRecord& pod, NodeRow node) const override;
  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const override;
  Verdict Explain(const Cycle& cycle, NodeRow node) const override;
  std::string Details(const Cycle& cycle, NodeRow node) const override;
  Scope filter_scope() const override { return Scope::kNode; }
};

}  // namespace berth
