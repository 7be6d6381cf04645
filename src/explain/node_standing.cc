#include "explain/node_standing.h"

#include <algorithm>
#include <utility>

namespace berth::explain {
namespace {

using scheduler::framework::Code;
using scheduler::framework::Verdict;

bool IsAboutClosing(const Verdict& verdict) {
  return verdict.plugin() == "NodeUnschedulable" || verdict.plugin() == "TaintToleration";
}

// Plugins say by their code whether other pods are the obstacle.
Distance DistanceOf(const Verdict& verdict) {
  if (IsAboutClosing(verdict)) return Distance::kClosed;
  return verdict.code() == Code::kUnschedulableAndUnresolvable ? Distance::kUnsuited
                                                               : Distance::kRoom;
}

}  // namespace

bool NodeStanding::IsRejectedBy(std::string_view plugin) const {
  return std::ranges::any_of(rejections,
                             [&](const Verdict& verdict) { return verdict.plugin() == plugin; });
}

bool NodeStanding::IsOnlyClosed() const {
  return !rejections.empty() && std::ranges::all_of(rejections, IsAboutClosing);
}

std::vector<NodeStanding> StandingsOf(const scheduler::model::Cluster& cluster,
                                      scheduler::engine::PodFit fit,
                                      const scheduler::engine::Explanation& explanation) {
  std::vector<NodeStanding> standings;
  standings.reserve(fit.nodes.size());
  for (scheduler::engine::NodeFit& one : fit.nodes) {
    if (one.fits) continue;
    NodeStanding& standing = standings.emplace_back();
    standing.row = cluster.nodes().Find(cluster.symbols().Find(one.node));
    standing.node = cluster.nodes().info(standing.row).object.get();
    standing.rejections = std::move(one.rejections);
    for (const Verdict& verdict : standing.rejections) {
      standing.distance = std::max(standing.distance, DistanceOf(verdict));
    }
    const auto explained = explanation.nodes.find(one.node);
    if (explained == explanation.nodes.end()) continue;
    standing.details = explained->second.details;
    standing.detailed_by = explained->second.verdict.plugin();
  }
  const auto name_of = [](const NodeStanding& standing) -> const std::string& {
    return standing.node->metadata.name;
  };
  if (!std::ranges::is_sorted(standings, {}, name_of)) std::ranges::sort(standings, {}, name_of);
  return standings;
}

}  // namespace berth::explain
