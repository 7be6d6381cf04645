#include "scheduler/plugins/pod_group_pods_count.h"

#include <algorithm>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::plugins {

framework::Verdict PodGroupPodsCount::ScorePlacements(
    const model::Cluster& cluster, const api::ObjectKey& group,
    std::span<const framework::PlacementAssignments> placements, std::span<int64_t> out) const {
  const size_t scheduled = cluster.groups().Of(group).scheduled.size();
  int64_t most = 0;
  for (size_t i = 0; i < placements.size(); ++i) {
    out[i] = static_cast<int64_t>(scheduled + placements[i].members.size());
    most = std::max(most, out[i]);
  }
  if (most == 0) {
    return framework::Verdict::Error(
        "no pods from pod group are assigned to any of the candidate placements");
  }
  for (int64_t& score : out) score = score * framework::ScorePlugin::kMaxScore / most;
  return {};
}

}  // namespace berth::scheduler::plugins
