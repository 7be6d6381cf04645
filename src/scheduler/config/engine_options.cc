#include "scheduler/config/engine_options.h"

#include <algorithm>

#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/coscheduling.h"

namespace berth::scheduler::config {
namespace {

bool IsEnabled(const SchedulerProfile& profile, std::string_view plugin) {
  const auto enables = [&](const framework::PluginSet& set) {
    return std::ranges::find(set.enabled, plugin, &framework::PluginChoice::name) !=
           set.enabled.end();
  };
  return enables(profile.multi_point) || std::ranges::any_of(profile.points, enables);
}

std::vector<std::string> IgnoredResources(const std::vector<framework::ExtenderConfig>& extenders) {
  std::vector<std::string> names;
  for (const framework::ExtenderConfig& extender : extenders) {
    for (const framework::ManagedResource& resource : extender.managed_resources) {
      if (resource.ignored_by_scheduler) names.push_back(resource.name);
    }
  }
  return names;
}

framework::NodeResourcesFitArgs* FindFitArgs(std::vector<PluginConfig>& configs) {
  for (PluginConfig& config : configs) {
    if (config.name == "NodeResourcesFit")
      return std::any_cast<framework::NodeResourcesFitArgs>(&config.args);
  }
  return nullptr;
}

}  // namespace

Result<std::vector<framework::ProfileConfig>> ToProfileConfigs(const Configuration& configuration) {
  const std::vector<std::string> ignored = IgnoredResources(configuration.extenders);
  std::vector<framework::ProfileConfig> profiles;
  for (const SchedulerProfile& source : configuration.profiles) {
    std::vector<PluginConfig> configs = source.plugin_config;
    if (!ignored.empty()) {
      framework::NodeResourcesFitArgs* fit = FindFitArgs(configs);
      if (fit == nullptr) {
        return Fail("couldn't build extenders: can't find NodeResourcesFitArgs in plugin config");
      }
      fit->ignored_resources = ignored;
    }
    framework::ProfileConfig& profile = profiles.emplace_back();
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

Result<engine::EngineOptions> ToEngineOptions(const Configuration& configuration) {
  auto profiles = ToProfileConfigs(configuration);
  if (!profiles) return std::unexpected(profiles.error());
  engine::EngineOptions options;
  options.profiles = *std::move(profiles);
  options.features = configuration.features;
  options.features.coscheduling =
      std::ranges::any_of(configuration.profiles, [](const SchedulerProfile& profile) {
        return IsEnabled(profile, plugins::Coscheduling::kName);
      });
  options.backoff = {Duration::Seconds(configuration.pod_initial_backoff_seconds),
                     Duration::Seconds(configuration.pod_max_backoff_seconds)};
  options.extenders = configuration.extenders;
  return options;
}

}  // namespace berth::scheduler::config
