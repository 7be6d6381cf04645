// Cases that config.jsonl, the main test of validation, does not have.
#include "scheduler/config/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/config/configuration_fields.h"
#include "scheduler/config/engine_options.h"

namespace berth::scheduler::config {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kQueueSort = static_cast<size_t>(framework::ExtensionPoint::kQueueSort);

TEST(Validate, AcceptsTheDefaults) { EXPECT_THAT(Validate(Default()), IsEmpty()); }

TEST(Validate, ChecksBerthsOwnArguments) {
  const auto problems = [](const framework::GangSchedulingArgs& args) {
    Configuration configuration = Default();
    configuration.profiles[0].plugin_config = {{"GangScheduling", args}};
    return Validate(configuration);
  };
  framework::GangSchedulingArgs args;
  args.search = "Complete";
  args.topology_levels = {"kubernetes.io/hostname", "example.com/rack"};
  EXPECT_THAT(problems(args), IsEmpty());
  args.search = "complete";
  args.search_budget = 0;
  args.topology_levels = {"rack", "not a label", "rack"};
  const std::string path = "profiles[0].pluginConfig[0].args.";
  EXPECT_THAT(
      problems(args),
      ElementsAre(path + "search: Unsupported value: \"complete\": supported values: \"Greedy\", "
                         "\"Complete\"",
                  path + "searchBudget: Invalid value: 0: must be positive",
                  testing::HasSubstr(path + "topologyLevels[1]: Invalid value: \"not a label\""),
                  path + "topologyLevels[2]: Duplicate value: \"rack\""));
}

TEST(Validate, FollowsTheFeatureGates) {
  const auto with_shape = [](bool on, std::vector<framework::ShapePoint> shape) {
    Configuration configuration = Default({.storage_capacity_scoring = on});
    framework::VolumeBindingArgs args;
    args.shape = std::move(shape);
    configuration.profiles[0].plugin_config = {{"VolumeBinding", args}};
    return Validate(configuration);
  };
  EXPECT_THAT(with_shape(true, {{0, 0}, {50, 10}, {100, 5}}), IsEmpty());
  EXPECT_THAT(with_shape(true, {{50, 11}, {20, -1}, {101, 0}}),
              ElementsAre("profiles[0].pluginConfig[0].args.shape[1].utilization: Invalid value: "
                          "20: values must be sorted in increasing order",
                          "profiles[0].pluginConfig[0].args.shape[0].score: Invalid value: 11: not "
                          "in valid range [0, 10]",
                          "profiles[0].pluginConfig[0].args.shape[1].score: Invalid value: -1: not "
                          "in valid range [0, 10]",
                          "profiles[0].pluginConfig[0].args.shape[2].utilization: Invalid value: "
                          "101: not in valid range [0, 100]"));
  EXPECT_THAT(with_shape(true, {}),
              ElementsAre("profiles[0].pluginConfig[0].args.shape: Required value: at least one "
                          "point must be specified"));
  EXPECT_THAT(with_shape(false, {{0, 0}}),
              ElementsAre(testing::HasSubstr("turn on the feature gate StorageCapacityScoring")));

  Configuration configuration = Default({.dra_scheduler_filter_timeout = false});
  EXPECT_THAT(Validate(configuration), IsEmpty());
  framework::DynamicResourcesArgs devices;
  devices.filter_timeout = Duration::Seconds(1);
  configuration.profiles[0].plugin_config = {{"DynamicResources", devices}};
  EXPECT_THAT(Validate(configuration),
              ElementsAre("profiles[0].pluginConfig[0].args.filterTimeout: Forbidden: "
                          "DRASchedulingFilterTimeout feature gate is disabled"));

  configuration = Default({.dra_device_binding_conditions = false});
  EXPECT_THAT(Validate(configuration), IsEmpty());
  devices = {};
  devices.binding_timeout = Duration::Seconds(1);
  configuration.profiles[0].plugin_config = {{"DynamicResources", devices}};
  EXPECT_THAT(Validate(configuration),
              ElementsAre("profiles[0].pluginConfig[0].args.bindingTimeout: Forbidden: "
                          "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature "
                          "gate is disabled"));
}

TEST(Validate, RequiresAResourceLock) {
  Configuration configuration = Default();
  configuration.leader_election.resource_lock = "";
  configuration.leader_election.resource_name = "";
  configuration.leader_election.resource_namespace = "";
  EXPECT_THAT(
      Validate(configuration),
      ElementsAre("leaderElection.resourceLock: Required value: resourceLock is required",
                  "leaderElection.resourceNamespace: Required value: resourceNamespace is required",
                  "leaderElection.resourceName: Required value: resourceName is required",
                  "leaderElection.resourceLock: Invalid value: \"\": resourceLock value must be "
                  "\"leases\""));
  configuration.leader_election.leader_elect = false;
  EXPECT_THAT(Validate(configuration), IsEmpty());
}

TEST(Validate, RefusesArgumentsOfAnotherPlugin) {
  Configuration configuration = Default();
  configuration.profiles[0].plugin_config = {{"InterPodAffinity", framework::NodeAffinityArgs()},
                                             {"VolumeBinding", {}}};
  EXPECT_THAT(
      Validate(configuration),
      ElementsAre("profiles[0].pluginConfig[0].args: Invalid value: "
                  R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"NodeAffinityArgs"})"
                  ": has to match plugin args",
                  "profiles[0].pluginConfig[1].args: Invalid value: null: has to match plugin "
                  "args"));
}

TEST(Validate, RefusesTheKindOfArgumentsAsNameOfAPlugin) {
  Configuration configuration = Default();
  configuration.profiles[0].plugin_config = {
      {"NodeResourcesFitArgs", std::string("{\"kind\": \"NodeAffinityArgs\"}")},
      {"NodeAffinityArgs", std::string("{}")}};
  EXPECT_THAT(Validate(configuration),
              ElementsAre("profiles[0].pluginConfig[0].args: Invalid value: "
                          "{\"kind\":\"NodeAffinityArgs\"}: has to match plugin args"));
  configuration.profiles[0].plugin_config = {{"NodeResourcesFitArgs", {}}};
  EXPECT_THAT(Validate(configuration),
              ElementsAre("profiles[0].pluginConfig[0].args: Invalid value: null: has to match "
                          "plugin args"));
}

TEST(Validate, RequiresOneQueueSort) {
  Configuration configuration = Default();
  configuration.profiles.push_back(configuration.profiles[0]);
  configuration.profiles[1].scheduler_name = "second";
  for (SchedulerProfile& profile : configuration.profiles) {
    profile.points[kQueueSort].enabled = {{"Mine", 0}};
    profile.plugin_config = {{"Mine", std::string("{\"by\":1}")}};
  }
  EXPECT_THAT(Validate(configuration), IsEmpty());

  configuration.profiles[1].points[kQueueSort].disabled = {"*"};
  configuration.profiles[1].plugin_config = {{"Mine", std::string("{\"by\":2}")}};
  EXPECT_THAT(
      Validate(configuration),
      ElementsAre(
          "profiles[1].plugins.queueSort: Invalid value: "
          R"({"Enabled":[{"Name":"Mine","Weight":0}],"Disabled":[{"Name":"*","Weight":0}]})"
          ": must be the same for all profiles",
          "profiles[1].pluginConfig.args: Invalid value: {\"by\":2}: queueSort must be the same "
          "for all profiles"));
}

TEST(Validate, ChecksWeightedTermsOfAddedAffinity) {
  Configuration configuration = Default();
  framework::NodeAffinityArgs args;
  api::PreferredSchedulingTerm term;
  term.preference.match_fields = {{"metadata.name", "Exists", {}}};
  args.added_affinity.emplace().preferred = {term};
  configuration.profiles[0].plugin_config = {{"NodeAffinity", args}};
  EXPECT_THAT(Validate(configuration), IsEmpty());

  args.added_affinity->preferred[0].weight = 1;
  configuration.profiles[0].plugin_config = {{"NodeAffinity", args}};
  EXPECT_THAT(Validate(configuration),
              ElementsAre("profiles[0].pluginConfig[0].args.addedAffinity."
                          "preferredDuringSchedulingIgnoredDuringExecution[0].matchFields[0]."
                          "operator: Unsupported value: \"Exists\": supported values: \"In\", "
                          "\"NotIn\""));
}

TEST(Validate, ShowsStringsQuotedAsGoDoes) {
  Configuration configuration = Default();
  configuration.leader_election.resource_lock = "a\"b\\\n\x01\u00e9";
  EXPECT_THAT(Validate(configuration),
              ElementsAre("leaderElection.resourceLock: Invalid value: \"a\\\"b\\\\\\n\\x01\u00e9\""
                          ": resourceLock value must be \"leases\""));
}

TEST(Load, NamesTheFileOnEveryLine) {
  const std::string header =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  const auto undecodable = Load(header + "b: 1\nparallelism: x\n", "f.yaml");
  ASSERT_FALSE(undecodable.has_value());
  EXPECT_EQ(undecodable.error().message,
            "f.yaml: json: cannot unmarshal string into field parallelism of type int32\n"
            "f.yaml: strict decoding error: unknown field \"b\"");
  const auto invalid = Load(header + "parallelism: 0\npercentageOfNodesToScore: 101\n", "f.yaml");
  ASSERT_FALSE(invalid.has_value());
  EXPECT_EQ(invalid.error().message,
            "f.yaml: parallelism: Invalid value: 0: should be an integer value greater than zero\n"
            "f.yaml: percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]");
}

TEST(ToProfileConfigs, PassesOnWhatTheFrameworkNeeds) {
  Configuration configuration = Default();
  configuration.percentage_of_nodes_to_score = 30;
  configuration.profiles.push_back(configuration.profiles[0]);
  configuration.profiles[1].scheduler_name = "second";
  configuration.profiles[1].percentage_of_nodes_to_score = 0;
  configuration.profiles[1].points[kQueueSort].disabled = {"*"};
  const auto profiles = ToProfileConfigs(configuration);
  ASSERT_TRUE(profiles.has_value());
  EXPECT_EQ((*profiles)[0].scheduler_name, "default-scheduler");
  EXPECT_EQ((*profiles)[0].percentage_of_nodes_to_score, 30);
  EXPECT_EQ((*profiles)[0].multi_point, configuration.profiles[0].multi_point);
  EXPECT_EQ((*profiles)[1].percentage_of_nodes_to_score, 0);
  EXPECT_EQ((*profiles)[1].points[kQueueSort], (framework::PluginSet{{}, {"*"}}));
}

TEST(ToProfileConfigs, LetsExtendersReplaceIgnoredResources) {
  Configuration configuration = Default();
  framework::ExtenderConfig& extender = configuration.extenders.emplace_back();
  extender.managed_resources = {{"example.com/a", true}, {"example.com/b", false}};
  for (PluginConfig& config : configuration.profiles[0].plugin_config) {
    if (auto* fit = std::any_cast<framework::NodeResourcesFitArgs>(&config.args)) {
      fit->ignored_resources = {"example.com/z"};
    }
  }
  const auto profiles = ToProfileConfigs(configuration);
  ASSERT_TRUE(profiles.has_value());
  const framework::PluginArgs& fit = profiles->front().args.find("NodeResourcesFit")->second;
  EXPECT_THAT(std::any_cast<framework::NodeResourcesFitArgs>(fit).ignored_resources,
              ElementsAre("example.com/a"));

  configuration.profiles[0].plugin_config.clear();
  const auto without = ToProfileConfigs(configuration);
  ASSERT_FALSE(without.has_value());
  EXPECT_EQ(without.error().message,
            "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config");
}

}  // namespace BERTH_TEST_FILE
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Warnings, DefaultsHaveNone) { EXPECT_THAT(Warnings(Default()), IsEmpty()); }

TEST(Warnings, ReportThatGangSchedulingHasNoEffect) {
  Configuration configuration;
  SchedulerProfile& profile = configuration.profiles.emplace_back();
  profile.multi_point.enabled = {{"PrioritySort", 0}, {"GangScheduling", 0}};
  profile.points[static_cast<size_t>(framework::ExtensionPoint::kPermit)].enabled = {
      {"GangScheduling", 0}};
  constexpr const char* kWhy =
      ": GangScheduling has no effect: the feature gate GangScheduling (alpha) is off, so pods are "
      "placed one by one and no gangs are formed";
  const auto warnings = ElementsAre(std::string("profiles[0].plugins.multiPoint.enabled[1]") + kWhy,
                                    std::string("profiles[0].plugins.permit.enabled[0]") + kWhy);
  EXPECT_THAT(Warnings(configuration), warnings);
  // The index is that of the user's file, not of the list with the defaults.
  ApplyDefaults(configuration);
  EXPECT_THAT(Warnings(configuration), warnings);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::config
