#include "explain/change_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include "explain/corrections.h"
#include "explain/node_changes.h"
#include "explain/pod_changes.h"
#include "explain/request_changes.h"
#include "explain/volume_changes.h"
#include "scheduler/model/cluster.h"

namespace berth::explain {
namespace {

using scheduler::engine::NodeFit;
using scheduler::engine::PodFit;
using scheduler::model::Cluster;
using scheduler::model::NodeRow;

// Pods of a node that are tried to be moved: those that leave enough, or most, are among them.
constexpr size_t kPodsToMove = 16;
// Spreads that are wider than this are no spreads any more.
constexpr int32_t kMaxSkew = 1 << 20;

bool MayBeMoved(const api::Pod& pod) {
  return !IsDaemon(pod) && !pod.metadata.deletion_timestamp &&
         !pod.metadata.annotations.contains("kubernetes.io/config.mirror");
}

// Obstacles that a pod on the node may be.
bool IsAboutPods(std::string_view plugin) {
  constexpr std::string_view kPlugins[] = {"",
                                           "NodeResourcesFit",
                                           "NodePorts",
                                           "InterPodAffinity",
                                           "PodTopologySpread",
                                           "VolumeRestrictions",
                                           "NodeVolumeLimits",
                                           "DynamicResources"};
  return std::ranges::find(kPlugins, plugin) != std::end(kPlugins);
}

int64_t RequestedBy(const Cluster& cluster, const api::Pod& pod, const std::string& resource) {
  const auto id = cluster.pods().Find(pod.metadata.namespace_, pod.metadata.name);
  if (!id.valid()) return 0;
  const auto& placed = cluster.class_of(cluster.pod(id)).placed;
  if (resource == "cpu") return placed.milli_cpu;
  if (resource == "memory") return placed.memory;
  if (resource == "ephemeral-storage") return placed.ephemeral_storage;
  const auto scalar = cluster.scalars().Find(resource);
  return scalar.valid() ? placed.ScalarAmount(scalar) : 0;
}

}  // namespace

bool IsRejectedBy(const NodeFit& fit, std::string_view plugin) {
  return std::ranges::any_of(fit.rejections,
                             [&](const auto& verdict) { return verdict.plugin() == plugin; });
}

std::vector<Change> ChangeFinder::ForPreFilter(const std::string& plugin) {
  if (plugin.starts_with("Volume") || plugin == "NodeVolumeLimits") {
    std::vector<Change> changes = VolumeChanges(changed_.cluster(), changed_.pod(), nullptr);
    if (plugin == "VolumeRestrictions") {
      std::ranges::move(MovesOfClaimUsers(), std::back_inserter(changes));
    }
    return changes;
  }
  if (plugin == "DynamicResources") {
    return ResourceClaimCorrections(changed_.cluster(), changed_.pod());
  }
  if (plugin == "NodeAffinity") {
    // The required affinity names nodes that exclude each other; the nodeSelector has no part.
    api::Pod pod = changed_.pod();
    pod.spec.node_selector.reset();
    const api::Node nowhere;
    return PodChanges({changed_.cluster(), pod, nowhere, {}, plugin});
  }
  return {};
}

// Pods that use a claim which only one pod may use at a time.
std::vector<Change> ChangeFinder::MovesOfClaimUsers() {
  std::vector<Change> changes;
  std::set<std::string> claims;
  for (const api::Volume& volume : changed_.pod().spec.volumes) {
    if (const auto* source = std::get_if<api::PersistentVolumeClaimSource>(&volume.source)) {
      claims.insert(source->claim_name);
    }
  }
  const Cluster& cluster = changed_.cluster();
  cluster.pods().ForEach([&](const scheduler::model::PodRecord& pod) {
    if (pod.state != scheduler::model::PodState::kBound || !MayBeMoved(*pod.object) ||
        pod.object->metadata.namespace_ != changed_.pod().metadata.namespace_ ||
        cluster.nodes().info(pod.node).object == nullptr) {
      return;
    }
    const bool uses = std::ranges::any_of(pod.object->spec.volumes, [&](const auto& volume) {
      const auto* source = std::get_if<api::PersistentVolumeClaimSource>(&volume.source);
      return source != nullptr && claims.contains(source->claim_name);
    });
    if (uses) changes.push_back(MovePod(*cluster.nodes().info(pod.node).object, pod.object));
  });
  return changes;
}

std::vector<Change> ChangeFinder::ForNode(const NodeFit& fit, size_t left) {
  const Cluster& cluster = changed_.cluster();
  const NodeRow row = cluster.nodes().Find(cluster.symbols().Find(fit.node));
  const api::Node& node = *cluster.nodes().info(row).object;
  const std::string plugin = fit.rejections.empty() ? "" : fit.rejections.front().plugin();
  const Obstacle obstacle{cluster, changed_.pod(), node, row, plugin};
  std::vector<Change> changes = Corrections(obstacle);
  const auto add = [&](std::vector<Change> more) {
    std::ranges::move(more, std::back_inserter(changes));
  };
  add(PodChanges(obstacle));
  add(NodeChanges(obstacle));
  if (plugin == "NodeResourcesFit") add(RequestChanges(obstacle));
  if (plugin == "PodTopologySpread") add(SpreadChanges(fit.node));
  if (plugin == "VolumeBinding") add(VolumeChanges(cluster, changed_.pod(), &node));
  if (plugin == "DynamicResources") add(DeviceChanges(obstacle));
  if (IsAboutPods(plugin)) add(Moves(obstacle, left));
  return changes;
}

// Relaxes each constraint, as little as possible: constraints matter to each other, since a node
// counts only if it has the labels of all.
std::vector<Change> ChangeFinder::SpreadChanges(const std::string& node) {
  std::vector<Change> changes;
  const api::Pod& pod = changed_.pod();
  const auto& constraints = pod.spec.topology_spread_constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].when_unsatisfiable != "DoNotSchedule") continue;
    // If the other constraints are violated, too, they have changes of their own.
    const Others others = SkewFits(node, i, 0, Others::kHard) ? Others::kHard : Others::kSoft;
    int32_t fails = constraints[i].max_skew;
    int32_t fits = kMaxSkew;
    if (fails < fits && SkewFits(node, i, fits, others)) {
      while (fits - fails > 1) {
        const int32_t middle = fails + (fits - fails) / 2;
        (SkewFits(node, i, middle, others) ? fits : fails) = middle;
      }
      changes.push_back(RelaxSpread(pod, i, fits));
    }
    changes.push_back(RelaxSpread(pod, i, 0));
  }
  return changes;
}

// Reports whether PodTopologySpread accepts the node if that constraint has the given maxSkew, or
// is soft if it is 0, and the other constraints are as they are, or soft.
bool ChangeFinder::SkewFits(const std::string& node, size_t number, int32_t max_skew,
                            Others others) {
  auto variant = api::CopyToChange(changed_.pod());
  auto& constraints = variant->spec.topology_spread_constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    const bool soft = i == number ? max_skew == 0 : others == Others::kSoft;
    if (soft) constraints[i].when_unsatisfiable = "ScheduleAnyway";
  }
  if (max_skew > 0) constraints[number].max_skew = max_skew;
  const PodFit fit = changed_.Evaluate(std::move(variant), node);
  return fit.pre_filter.ok() && !fit.nodes.empty() &&
         !IsRejectedBy(fit.nodes[0], "PodTopologySpread");
}

// Pods that leave enough come first, the smallest of them first, if there is one change left;
// otherwise the largest.
std::vector<Change> ChangeFinder::Moves(const Obstacle& obstacle, size_t left) {
  const auto shortages =
      ShortagesOf(obstacle.cluster, RequestsOf(obstacle.cluster, changed_.pod()), obstacle.row);
  const std::string resource = shortages.empty() ? "cpu" : shortages.front().resource;
  const int64_t missing = shortages.empty() ? 0 : shortages[0].requested - shortages[0].free;
  std::vector<std::tuple<bool, int64_t, api::Ref<api::Pod>>> pods;
  for (const api::Ref<api::Pod>& pod : PodsOn(obstacle.cluster, obstacle.row)) {
    if (!MayBeMoved(*pod) || pod->metadata.uid == changed_.pod().metadata.uid) continue;
    const int64_t request = RequestedBy(obstacle.cluster, *pod, resource);
    const bool enough = request >= missing;
    pods.emplace_back(!enough, left == 1 && enough ? request : -request, pod);
  }
  std::ranges::stable_sort(pods, [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  if (pods.size() > kPodsToMove) {
    complete_ = false;
    pods.resize(kPodsToMove);
  }
  std::vector<Change> changes;
  for (const auto& [too_small, size, pod] : pods) {
    changes.push_back(MovePod(obstacle.node, pod));
    changes.back().amount = static_cast<double>(std::abs(size));
    if (missing > 0) {
      changes.back().text +=
          fmt::format(" (frees {} {})", TextOfAmount(resource, std::abs(size)), resource);
    }
  }
  return changes;
}

}  // namespace berth::explain
