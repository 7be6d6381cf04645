#include "scheduler/config/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/config/configuration_fields.h"

namespace berth::scheduler::config {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

const framework::PluginSet kDefaults{{{"A", 1}, {"B", 2}, {"C", 0}}, {"Off"}};

TEST(MergePluginSets, RetainsTheOrderAndAppendsTheRest) {
  const struct {
    const char* name;
    framework::PluginSet user;
    framework::PluginSet want;
  } cases[] = {
      {"NothingGiven", {}, {{{"A", 1}, {"B", 2}, {"C", 0}}, {"Off"}}},
      {"NewPluginsGoLast",
       {{{"Y", 5}, {"X", 0}}, {}},
       {{{"A", 1}, {"B", 2}, {"C", 0}, {"Y", 5}, {"X", 0}}, {"Off"}}},
      {"AUsersEntryReplacesTheDefaultInPlace",
       {{{"B", 0}}, {}},
       {{{"A", 1}, {"B", 0}, {"C", 0}}, {"Off"}}},
      {"DisabledByName", {{}, {"B"}}, {{{"A", 1}, {"C", 0}}, {"B", "Off"}}},
      {"DisabledAndEnabledMovesToTheEnd",
       {{{"A", 9}}, {"A"}},
       {{{"B", 2}, {"C", 0}, {"A", 9}}, {"A", "Off"}}},
      {"AllDisabled", {{{"C", 4}}, {"*"}}, {{{"C", 4}}, {"*", "Off"}}},
      {"TheLastOfTwoEntriesReplaces",
       {{{"B", 3}, {"B", 4}}, {}},
       {{{"A", 1}, {"B", 4}, {"C", 0}, {"B", 3}}, {"Off"}}},
  };
  for (const auto& c : cases) EXPECT_EQ(MergePluginSets(kDefaults, c.user), c.want) << c.name;
}

std::vector<std::string> ConfiguredPlugins(const SchedulerProfile& profile) {
  std::vector<std::string> names;
  for (const PluginConfig& config : profile.plugin_config) names.push_back(config.name);
  return names;
}

TEST(Default, IsOneProfileWithTheInTreePlugins) {
  const Configuration configuration = Default();
  ASSERT_EQ(configuration.profiles.size(), 1u);
  const SchedulerProfile& profile = configuration.profiles[0];
  EXPECT_EQ(profile.scheduler_name, "default-scheduler");
  EXPECT_EQ(profile.multi_point.enabled.size(), 20u);
  EXPECT_EQ(profile.multi_point.enabled[4], (framework::PluginChoice{"TaintToleration", 3}));
  EXPECT_THAT(ConfiguredPlugins(profile),
              ElementsAre("DefaultPreemption", "DynamicResources", "InterPodAffinity",
                          "NodeAffinity", "NodeResourcesBalancedAllocation", "NodeResourcesFit",
                          "PodTopologySpread", "VolumeBinding"));
  EXPECT_EQ(configuration.enable_contention_profiling, true);
}

TEST(ApplyDefaults, NamesOnlyASingleProfile) {
  Configuration configuration;
  configuration.profiles.resize(2);
  ApplyDefaults(configuration);
  EXPECT_EQ(configuration.profiles[0].scheduler_name, std::nullopt);

  Configuration named_empty;
  named_empty.profiles.resize(1);
  named_empty.profiles[0].scheduler_name = "";
  ApplyDefaults(named_empty);
  EXPECT_EQ(named_empty.profiles[0].scheduler_name, "");
}

TEST(ApplyDefaults, ReplacesZeros) {
  Configuration configuration;
  configuration.leader_election = {true, {}, {}, {}, "", "", ""};
  configuration.client_connection = {"", "", "", 0, 0};
  configuration.enable_profiling = false;
  ApplyDefaults(configuration);
  EXPECT_EQ(configuration.leader_election.lease_duration, Duration::Seconds(15));
  EXPECT_EQ(configuration.leader_election.renew_deadline, Duration::Seconds(10));
  EXPECT_EQ(configuration.leader_election.retry_period, Duration::Seconds(2));
  EXPECT_EQ(configuration.leader_election.resource_lock, "leases");
  EXPECT_EQ(configuration.leader_election.resource_name, "kube-scheduler");
  EXPECT_EQ(configuration.leader_election.resource_namespace, "kube-system");
  EXPECT_EQ(configuration.client_connection.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(configuration.client_connection.qps, 50);
  EXPECT_EQ(configuration.client_connection.burst, 100);
  EXPECT_EQ(configuration.enable_contention_profiling, false);
}

TEST(ApplyDefaults, AddsArgumentsOfEnabledPluginsOnly) {
  Configuration configuration;
  SchedulerProfile& profile = configuration.profiles.emplace_back();
  profile.multi_point.disabled = {"*"};
  profile.points[static_cast<size_t>(framework::ExtensionPoint::kScore)].enabled = {
      {"VolumeBinding", 0}, {"ImageLocality", 0}};
  profile.plugin_config = {{"Mine", std::string("{}")}};
  ApplyDefaults(configuration);
  EXPECT_THAT(ConfiguredPlugins(configuration.profiles[0]), ElementsAre("Mine", "VolumeBinding"));
}

TEST(ApplyDefaults, CompletesArguments) {
  Configuration configuration;
  framework::NodeResourcesBalancedAllocationArgs balanced;
  balanced.resources = {{"example.com/gpu", 0}};
  framework::PodTopologySpreadArgs spread;
  spread.defaulting_type = "";
  configuration.profiles.emplace_back().plugin_config = {
      {"NodeResourcesBalancedAllocation", balanced}, {"PodTopologySpread", spread}};
  ApplyDefaults(configuration);
  const std::vector<PluginConfig>& configs = configuration.profiles[0].plugin_config;
  EXPECT_EQ(
      std::any_cast<framework::NodeResourcesBalancedAllocationArgs>(configs[0].args).resources,
      (std::vector<framework::ResourceWeight>{{"example.com/gpu", 1}}));
  EXPECT_EQ(std::any_cast<framework::PodTopologySpreadArgs>(configs[1].args).defaulting_type,
            "System");
}

TEST(ApplyDefaults, ShowsBerthsOwnArgumentsOnlyIfTheyAreGiven) {
  const model::Features gangs{.gang_scheduling = true, .generic_workload = true};
  const Configuration with_gangs = Default(gangs);
  for (const PluginConfig& config : with_gangs.profiles[0].plugin_config)
    EXPECT_NE(config.name, "GangScheduling");

  Configuration configuration;
  framework::GangSchedulingArgs args;
  args.search = "";
  configuration.profiles.emplace_back().plugin_config = {{"GangScheduling", args}};
  ApplyDefaults(configuration);
  const auto& completed = configuration.profiles[0].plugin_config[0].args;
  EXPECT_EQ(std::any_cast<framework::GangSchedulingArgs>(completed),
            framework::GangSchedulingArgs());
}

// Returns the arguments of the plugin in the default configuration.
template <typename Args>
Args DefaultArgs(const model::Features& features, std::string_view plugin) {
  const Configuration configuration = Default(features);
  for (const PluginConfig& config : configuration.profiles[0].plugin_config) {
    if (config.name == plugin) return std::any_cast<Args>(config.args);
  }
  return {};
}

TEST(ApplyDefaults, FollowsTheFeatureGates) {
  using Shape = std::vector<framework::ShapePoint>;
  const auto shape = [](const model::Features& features) {
    return DefaultArgs<framework::VolumeBindingArgs>(features, "VolumeBinding").shape;
  };
  EXPECT_EQ(shape({}), std::nullopt);
  EXPECT_EQ(shape({.storage_capacity_scoring = true}), (Shape{{0, 10}, {100, 0}}));

  const auto timeout = [](const model::Features& features) {
    return DefaultArgs<framework::DynamicResourcesArgs>(features, "DynamicResources")
        .filter_timeout;
  };
  EXPECT_EQ(timeout({}), Duration::Seconds(10));
  EXPECT_EQ(timeout({.dra_scheduler_filter_timeout = false}), std::nullopt);

  const auto binding_timeout = [](const model::Features& features) {
    return DefaultArgs<framework::DynamicResourcesArgs>(features, "DynamicResources")
        .binding_timeout;
  };
  EXPECT_EQ(binding_timeout({}), Duration::Seconds(600));
  EXPECT_EQ(binding_timeout({.dra_device_binding_conditions = false}), std::nullopt);
  EXPECT_EQ(binding_timeout({.dra_resource_claim_device_status = false}), std::nullopt);

  const Configuration without = Default({.node_declared_features = false});
  EXPECT_EQ(without.profiles[0].multi_point.enabled.size(), 19u);
  EXPECT_EQ(without.profiles[0].multi_point.enabled.back().name, "DefaultBinder");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::config
