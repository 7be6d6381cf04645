#include "scheduler/config/defaults.h"

#include <algorithm>
#include <map>
#include <set>

#include "scheduler/config/configuration_fields.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::scheduler::config {
namespace {

template <typename T>
void DefaultIfZero(T& field, const T& fallback) {
  if (field == T()) field = fallback;
}

// Complete(args, features) replaces zero values that stand for a default. Most structs have none.
void Complete(auto&, const model::Features&) {}

void Complete(std::vector<framework::ResourceWeight>& resources) {
  if (resources.empty()) resources = framework::NodeResourcesBalancedAllocationArgs().resources;
  for (framework::ResourceWeight& resource : resources) DefaultIfZero<int64_t>(resource.weight, 1);
}

void Complete(framework::NodeResourcesBalancedAllocationArgs& args, const model::Features&) {
  Complete(args.resources);
}

void Complete(framework::NodeResourcesFitArgs& args, const model::Features&) {
  Complete(args.scoring_strategy.resources);
}

void Complete(framework::GangSchedulingArgs& args, const model::Features&) {
  DefaultIfZero(args.search, framework::GangSchedulingArgs().search);
}

void Complete(framework::PodTopologySpreadArgs& args, const model::Features&) {
  DefaultIfZero(args.defaulting_type, framework::PodTopologySpreadArgs().defaulting_type);
}

void Complete(framework::VolumeBindingArgs& args, const model::Features& features) {
  const bool has_shape = args.shape && !args.shape->empty();
  if (features.storage_capacity_scoring && !has_shape)
    args.shape = framework::DefaultStorageShape();
}

void Complete(framework::DynamicResourcesArgs& args, const model::Features& features) {
  if (features.dra_scheduler_filter_timeout && !args.filter_timeout)
    args.filter_timeout = framework::kDefaultFilterTimeout;
  if (features.dra_device_binding_conditions && features.dra_resource_claim_device_status &&
      !args.binding_timeout) {
    args.binding_timeout = framework::kDefaultBindingTimeout;
  }
}

std::set<std::string, std::less<>> EnabledPlugins(const SchedulerProfile& profile) {
  std::set<std::string, std::less<>> names;
  const auto add = [&](const framework::PluginSet& set) {
    for (const framework::PluginChoice& plugin : set.enabled) names.insert(plugin.name);
  };
  add(profile.multi_point);
  std::ranges::for_each(profile.points, add);
  return names;
}

void CompleteArgs(SchedulerProfile& profile, const model::Features& features) {
  std::set<std::string, std::less<>> missing = EnabledPlugins(profile);
  for (PluginConfig& config : profile.plugin_config) {
    missing.erase(config.name);
    VisitArgs(config.args, [&](std::string_view, auto& args) { Complete(args, features); });
  }
  missing.erase("GangScheduling");  // Berth's own arguments are shown only if they were given.
  for (const std::string& name : missing) {
    WithArgsKind(name, [&]<typename Args>(std::type_identity<Args>) {
      Args args;
      Complete(args, features);
      profile.plugin_config.push_back({name, std::move(args)});
    });
  }
}

}  // namespace

framework::PluginSet MergePluginSets(const framework::PluginSet& defaults,
                                     const framework::PluginSet& user) {
  framework::PluginSet merged;
  merged.disabled = user.disabled;
  merged.disabled.insert(merged.disabled.end(), defaults.disabled.begin(), defaults.disabled.end());
  const std::set<std::string_view> disabled(merged.disabled.begin(), merged.disabled.end());

  // If a name occurs more than once, its last entry replaces the default one.
  std::map<std::string_view, size_t> index_of;
  for (size_t i = 0; i < user.enabled.size(); ++i) index_of[user.enabled[i].name] = i;
  std::set<size_t> merged_indexes;
  for (const framework::PluginChoice& plugin : defaults.enabled) {
    if (disabled.contains("*") || disabled.contains(plugin.name)) continue;
    const auto own = index_of.find(plugin.name);
    merged.enabled.push_back(own == index_of.end() ? plugin : user.enabled[own->second]);
    if (own != index_of.end()) merged_indexes.insert(own->second);
  }
  for (size_t i = 0; i < user.enabled.size(); ++i) {
    if (!merged_indexes.contains(i)) merged.enabled.push_back(user.enabled[i]);
  }
  return merged;
}

void ApplyDefaults(Configuration& configuration) {
  std::vector<SchedulerProfile>& profiles = configuration.profiles;
  if (profiles.empty()) profiles.emplace_back();
  if (profiles.size() == 1 && !profiles[0].scheduler_name) {
    profiles[0].scheduler_name = "default-scheduler";
  }
  for (SchedulerProfile& profile : profiles) {
    profile.written_multi_point = profile.multi_point;
    profile.multi_point =
        MergePluginSets(plugins::DefaultPlugins(configuration.features), profile.multi_point);
    CompleteArgs(profile, configuration.features);
  }

  LeaderElection& election = configuration.leader_election;
  const LeaderElection default_election;
  DefaultIfZero(election.lease_duration, default_election.lease_duration);
  DefaultIfZero(election.renew_deadline, default_election.renew_deadline);
  DefaultIfZero(election.retry_period, default_election.retry_period);
  DefaultIfZero(election.resource_lock, default_election.resource_lock);
  DefaultIfZero(election.resource_name, default_election.resource_name);
  DefaultIfZero(election.resource_namespace, default_election.resource_namespace);

  ClientConnection& connection = configuration.client_connection;
  const ClientConnection default_connection;
  DefaultIfZero(connection.content_type, default_connection.content_type);
  DefaultIfZero(connection.qps, default_connection.qps);
  DefaultIfZero(connection.burst, default_connection.burst);

  if (!configuration.enable_contention_profiling) {
    configuration.enable_contention_profiling = configuration.enable_profiling;
  }
}

Configuration Default(const model::Features& features) {
  Configuration configuration;
  configuration.features = features;
  ApplyDefaults(configuration);
  return configuration;
}

}  // namespace berth::scheduler::config
