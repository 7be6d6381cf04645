#include "explain/node_standing.h"

#include <algorithm>
#include <utility>

#include "explain/obstacle.h"
#include "scheduler/model/features.h"

namespace berth::explain {
namespace {

using scheduler::framework::Code;
using scheduler::framework::Verdict;
using scheduler::model::Cluster;

bool IsAboutClosing(const Verdict& verdict) {
  return verdict.plugin() == "NodeUnschedulable" || verdict.plugin() == "TaintToleration";
}

// Plugins say by their code whether other pods are the obstacle.
Distance DistanceOf(const Verdict& verdict) {
  if (IsAboutClosing(verdict)) return Distance::kClosed;
  return verdict.code() == Code::kUnschedulableAndUnresolvable ? Distance::kUnsuited
                                                               : Distance::kRoom;
}

// "a=b:NoSchedule, c:NoExecute"
std::string TaintsAgainst(const Cluster& cluster, const api::Pod& pod, const api::Node& node) {
  const bool comparisons = cluster.features().taint_toleration_comparison_operators;
  std::string texts;
  for (const api::Taint& taint : node.spec.taints) {
    const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (!hard || api::ToleratesAny(pod.spec.tolerations, taint, comparisons)) continue;
    texts += (texts.empty() ? "" : ", ") + TextOf(taint);
  }
  return texts;
}

}  // namespace

bool NodeStanding::IsRejectedBy(std::string_view plugin) const {
  return std::ranges::any_of(rejections,
                             [&](const Verdict& verdict) { return verdict.plugin() == plugin; });
}

bool NodeStanding::IsOnlyClosed() const {
  return !rejections.empty() && std::ranges::all_of(rejections, IsAboutClosing);
}

std::string_view NodeStanding::DetailsBy(std::string_view plugin) const {
  if (account == nullptr) return "";
  const auto& nodes = (*account)().nodes;
  const auto explained = nodes.find(node->metadata.name);
  if (explained == nodes.end()) return "";
  const bool wanted = plugin.empty() || explained->second.verdict.plugin() == plugin;
  return wanted ? std::string_view(explained->second.details) : std::string_view();
}

std::vector<NodeStanding> StandingsOf(const Cluster& cluster, const api::Pod& pod,
                                      scheduler::engine::PodFit fit, const CycleAccount& account) {
  std::vector<NodeStanding> standings;
  standings.reserve(fit.nodes.size());
  for (scheduler::engine::NodeFit& one : fit.nodes) {
    if (one.fits) continue;
    NodeStanding& standing = standings.emplace_back();
    standing.row = cluster.nodes().Find(cluster.symbols().Find(one.node));
    standing.node = cluster.nodes().info(standing.row).object.get();
    standing.rejections = std::move(one.rejections);
    standing.account = &account;
    for (const Verdict& verdict : standing.rejections) {
      standing.distance = std::max(standing.distance, DistanceOf(verdict));
    }
    if (standing.IsRejectedBy("TaintToleration")) {
      standing.taints = TaintsAgainst(cluster, pod, *standing.node);
    }
  }
  const auto name_of = [](const NodeStanding& standing) -> const std::string& {
    return standing.node->metadata.name;
  };
  if (!std::ranges::is_sorted(standings, {}, name_of)) std::ranges::sort(standings, {}, name_of);
  return standings;
}

}  // namespace berth::explain
