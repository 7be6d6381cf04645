#include "config/profiles.h"

#include <algorithm>

#include "plugins/args.h"

namespace berth::config {
namespace {

bool IsEnabled(const SchedulerProfile& profile, std::string_view plugin) {
  const auto enables = [&](const PluginSet& set) {
    return std::ranges::find(set.enabled, plugin, &PluginChoice::name) != set.enabled.end();
  };
  return enables(profile.multi_point) || std::ranges::any_of(profile.points, enables);
}

std::vector<std::string> IgnoredResources(const std::vector<ExtenderConfig>& extenders) {
  std::vector<std::string> names;
  for (const ExtenderConfig& extender : extenders) {
    for (const ManagedResource& resource : extender.managed_resources) {
      if (resource.ignored_by_scheduler) names.push_back(resource.name);
    }
  }
  return names;
}

NodeResourcesFitArgs* FindFitArgs(std::vector<PluginConfig>& configs) {
  for (PluginConfig& config : configs) {
    if (config.name == "NodeResourcesFit") return std::any_cast<NodeResourcesFitArgs>(&config.args);
  }
  return nullptr;
}

}  // namespace

Result<std::vector<ProfileConfig>> ToProfileConfigs(const Configuration& configuration) {
  const std::vector<std::string> ignored = IgnoredResources(configuration.extenders);
  std::vector<ProfileConfig> profiles;
  for (const SchedulerProfile& source : configuration.profiles) {
    std::vector<PluginConfig> configs = source.plugin_config;
    if (!ignored.empty()) {
      NodeResourcesFitArgs* fit = FindFitArgs(configs);
      if (fit == nullptr) {
        return Fail("couldn't build extenders: can't find NodeResourcesFitArgs in plugin config");
      }
      fit->ignored_resources = ignored;
    }
    ProfileConfig& profile = profiles.emplace_back();
    profile.scheduler_name = source.scheduler_name.value_or("");
    profile.multi_point = source.multi_point;
    profile.points = source.points;
    profile.percentage_of_nodes_to_score = source.percentage_of_nodes_to_score
                                               ? source.percentage_of_nodes_to_score
                                               : configuration.percentage_of_nodes_to_score;
    for (PluginConfig& config : configs) {
      if (IsEnabled(source, config.name)) profile.args[config.name] = std::move(config.args);
    }
  }
  return profiles;
}

}  // namespace berth::config
