// PodGroupPodsCount prefers the placements in which more members of a group have a node.
#pragma once

#include "scheduler/framework/pod_group_plugins.h"

namespace berth::scheduler::plugins {

class PodGroupPodsCount final : public framework::PlacementScorePlugin {
 public:
  static constexpr std::string_view kName = "PodGroupPodsCount";
  std::string_view name() const override { return kName; }

  // 100 for the placement with the most members, those included that have a node already.
  framework::Verdict ScorePlacements(const model::Cluster& cluster, const api::ObjectKey& group,
                                     std::span<const framework::PlacementAssignments> placements,
                                     std::span<int64_t> out) const override;
};

}  // namespace berth::scheduler::plugins
