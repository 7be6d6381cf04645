#include "scheduler/reference/reference_profile.h"

#include <algorithm>
#include <any>
#include <map>
#include <set>
#include <string_view>

#include "scheduler/reference/snapshot.h"

namespace berth::scheduler::reference {
namespace {

// The extension points of each plugin, among those that the reference implementation runs.
const std::map<std::string_view, std::set<framework::ExtensionPoint>>& PointsOfPlugins() {
  using enum framework::ExtensionPoint;
  static const std::map<std::string_view, std::set<framework::ExtensionPoint>> kPoints = {
      {"NodeUnschedulable", {kFilter}},
      {"NodeName", {kFilter}},
      {"TaintToleration", {kFilter, kScore}},
      {"NodeAffinity", {kPreFilter, kFilter, kScore}},
      {"NodePorts", {kPreFilter, kFilter}},
      {"NodeResourcesFit", {kPreFilter, kFilter, kScore}},
      {"VolumeRestrictions", {kPreFilter, kFilter}},
      {"NodeVolumeLimits", {kPreFilter, kFilter}},
      {"VolumeBinding", {kPreFilter, kFilter, kScore}},
      {"VolumeZone", {kPreFilter, kFilter}},
      {"PodTopologySpread", {kPreFilter, kFilter, kScore}},
      {"InterPodAffinity", {kPreFilter, kFilter, kScore}},
      {"DynamicResources", {kPreFilter, kFilter, kPostFilter, kScore}},
      {"DefaultPreemption", {kPostFilter}},
      {"NodeResourcesBalancedAllocation", {kScore}},
      {"ImageLocality", {kScore}},
      {"NodeDeclaredFeatures", {kPreFilter, kFilter}},
  };
  return kPoints;
}

bool RunsAt(framework::ExtensionPoint point, std::string_view plugin) {
  const auto found = PointsOfPlugins().find(plugin);
  return found != PointsOfPlugins().end() && found->second.contains(point);
}

bool Chosen(const std::vector<framework::PluginChoice>& choices, std::string_view name) {
  return std::ranges::any_of(choices, [&](const auto& choice) { return choice.name == name; });
}

// Returns the plugins of the point in kube-scheduler's order: first those that multiPoint has as
// well, then those of multiPoint alone, then the rest.
std::vector<framework::PluginChoice> Expand(const framework::ProfileConfig& config,
                                            framework::ExtensionPoint point) {
  const framework::PluginSet& own = config.points[static_cast<size_t>(point)];
  std::vector<framework::PluginChoice> from_multi_point;
  if (!Contains(own.disabled, "*")) {
    for (const framework::PluginChoice& choice : config.multi_point.enabled) {
      if (!Contains(own.disabled, choice.name)) from_multi_point.push_back(choice);
    }
  }
  std::vector<framework::PluginChoice> all;
  for (const framework::PluginChoice& choice : own.enabled) {
    if (Chosen(from_multi_point, choice.name)) all.push_back(choice);
  }
  for (const framework::PluginChoice& choice : from_multi_point) {
    if (!Chosen(own.enabled, choice.name)) all.push_back(choice);
  }
  for (const framework::PluginChoice& choice : own.enabled) {
    if (!Chosen(from_multi_point, choice.name)) all.push_back(choice);
  }
  std::erase_if(all, [&](const auto& choice) { return !RunsAt(point, choice.name); });
  return all;
}

std::vector<std::string> NamesAt(const framework::ProfileConfig& config,
                                 framework::ExtensionPoint point) {
  std::vector<std::string> names;
  for (const framework::PluginChoice& choice : Expand(config, point)) names.push_back(choice.name);
  return names;
}

template <typename Args>
void CopyArgs(const framework::ProfileConfig& config, std::string_view plugin, Args& args) {
  const auto found = config.args.find(plugin);
  if (found == config.args.end()) return;
  if (const auto* given = std::any_cast<Args>(&found->second)) args = *given;
}

}  // namespace

ReferenceProfile ReferenceProfileOf(const framework::ProfileConfig& config,
                                    const model::Features& features) {
  ReferenceProfile profile;
  profile.features = features;
  profile.pre_filters = NamesAt(config, framework::ExtensionPoint::kPreFilter);
  profile.filters = NamesAt(config, framework::ExtensionPoint::kFilter);
  profile.post_filters = NamesAt(config, framework::ExtensionPoint::kPostFilter);
  profile.scorers.clear();
  for (const framework::PluginChoice& choice : Expand(config, framework::ExtensionPoint::kScore)) {
    profile.scorers.push_back({choice.name, choice.weight == 0 ? 1 : choice.weight});
  }
  CopyArgs(config, "NodeAffinity", profile.node_affinity);
  CopyArgs(config, "NodeResourcesFit", profile.fit);
  CopyArgs(config, "NodeResourcesBalancedAllocation", profile.balanced_allocation);
  CopyArgs(config, "InterPodAffinity", profile.pod_affinity);
  CopyArgs(config, "PodTopologySpread", profile.spread);
  CopyArgs(config, "DefaultPreemption", profile.preemption);
  CopyArgs(config, "VolumeBinding", profile.volume_binding);
  CopyArgs(config, "DynamicResources", profile.dynamic_resources);
  return profile;
}

bool KnowsPlugin(std::string_view name) { return PointsOfPlugins().contains(name); }

}  // namespace berth::scheduler::reference
