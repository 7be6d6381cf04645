// TopologyPlacementGenerator confines a group to one topology domain: it returns one placement for
// each value of the label that the group names, or the domain of the members that run already.
#pragma once

#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::plugins {

class TopologyPlacementGenerator final : public framework::PlacementGeneratePlugin {
 public:
  static constexpr std::string_view kName = "TopologyPlacementGenerator";
  std::string_view name() const override { return kName; }

  // The placements are ordered by the label's value. A group without a constraint has one, with all
  // nodes.
  framework::GeneratedPlacements GeneratePlacements(const model::Cluster& cluster,
                                                    const api::ObjectKey& group) const override;
};

}  // namespace berth::scheduler::plugins
