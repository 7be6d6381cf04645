#include "scheduler/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/json/parse.h"
#include "api/json/writer.h"
#include "scheduler/config/configuration_fields.h"
#include "scheduler/config/print.h"

namespace berth::scheduler::config {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;

const std::string kHeader =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

std::vector<std::string> ProblemsOf(const std::string& text) {
  auto configuration = Decode(text);
  return configuration ? std::vector<std::string>{} : configuration.error();
}

TEST(Decode, FillsEveryKindOfField) {
  const auto configuration = Decode(kHeader + R"(
parallelism: 4
clientConnection: {qps: 12.5}
leaderElection: {leaderElect: false, retryPeriod: 1500ms}
percentageOfNodesToScore: 7
profiles:
- schedulerName: a
  plugins:
    score:
      enabled: [{name: X, weight: 3}, {name: Z}]
      disabled: [{name: "*", weight: 9}]
extenders:
- urlPrefix: http://e/
  tlsConfig: {caData: Zm9v}
  managedResources: [{name: example.com/x, ignoredByScheduler: true}]
)");
  ASSERT_TRUE(configuration.has_value());
  EXPECT_EQ(configuration->parallelism, 4);
  EXPECT_EQ(configuration->client_connection.qps, 12.5F);
  EXPECT_FALSE(configuration->leader_election.leader_elect);
  EXPECT_EQ(configuration->leader_election.retry_period, Duration::Millis(1500));
  EXPECT_EQ(configuration->percentage_of_nodes_to_score, 7);
  const framework::PluginSet& score =
      configuration->profiles[0].points[static_cast<size_t>(framework::ExtensionPoint::kScore)];
  EXPECT_EQ(score, (framework::PluginSet{{{"X", 3}, {"Z", 0}}, {"*"}}));
  const framework::ExtenderConfig& extender = configuration->extenders[0];
  EXPECT_EQ(extender.tls->ca_data.bytes, "foo");
  EXPECT_TRUE(extender.managed_resources[0].ignored_by_scheduler);
}

TEST(Decode, TreatsNullAsAbsent) {
  const auto configuration = Decode(kHeader + R"(
parallelism: null
leaderElection: null
profiles: null
extenders: [null]
)");
  ASSERT_TRUE(configuration.has_value());
  EXPECT_EQ(configuration->parallelism, 16);
  EXPECT_TRUE(configuration->leader_election.leader_elect);
  EXPECT_EQ(configuration->profiles[0].scheduler_name, "default-scheduler");
  EXPECT_EQ(configuration->extenders.size(), 1u);
}

TEST(Decode, ListsEveryProblemWithItsField) {
  EXPECT_THAT(
      ProblemsOf(kHeader + R"(
parallelism: many
leaderElection: {leaseDuration: 15, renewDeadline: "15", lease: 3s}
clientConnection: []
podMaxBackoffSeconds: 9223372036854775808
profiles:
- plugins: {score: {enabled: [{name: a, weight: 1.5}, 7]}}
extenders:
- tlsConfig: {keyData: "?"}
  weight: {}
colour: red
)"),
      ElementsAre("json: cannot unmarshal string into field parallelism of type int32",
                  "json: cannot unmarshal number into field leaderElection.leaseDuration of "
                  "type string",
                  "leaderElection.renewDeadline: time: missing unit in duration \"15\"",
                  "json: cannot unmarshal array into field clientConnection of type object",
                  "json: cannot unmarshal number 9223372036854775808 into field "
                  "podMaxBackoffSeconds of type int64",
                  "json: cannot unmarshal number 1.5 into field "
                  "profiles[0].plugins.score.enabled[0].weight of type int32",
                  "json: cannot unmarshal number into field "
                  "profiles[0].plugins.score.enabled[1] of type object",
                  "json: cannot unmarshal object into field extenders[0].weight of type "
                  "int64",
                  "extenders[0].tlsConfig.keyData: illegal base64 data",
                  "strict decoding error: unknown field \"leaderElection.lease\"",
                  "strict decoding error: unknown field \"colour\""));
}

TEST(Decode, ReportsDuplicateFieldsInJson) {
  EXPECT_THAT(ProblemsOf(R"({
    "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
    "clientConnection": {"burst": 1, "burst": 2},
    "profiles": [{"pluginConfig": [
      {"name": "VolumeBinding", "args": {"bindTimeoutSeconds": 1, "bindTimeoutSeconds": 1}},
      {"name": "Elsewhere", "args": {"a": 1, "a": 1}}
    ]}]
  })"),
              ElementsAre("strict decoding error: duplicate field \"clientConnection.burst\"",
                          "strict decoding error: decoding .profiles[0].pluginConfig[0]: decoding "
                          "args for plugin VolumeBinding: duplicate field \"bindTimeoutSeconds\""));
}

TEST(Decode, ChecksTheTypeOfTheDocument) {
  const struct {
    const char* text;
    const char* want;
  } cases[] = {
      {"", "Object 'Kind' is missing"},
      {"kind: ''\napiVersion: v1", "Object 'Kind' is missing"},
      {"kind: KubeSchedulerConfiguration", "Object 'apiVersion' is missing"},
      {"kind: 5",
       "couldn't get version/kind; json parse error: json: cannot unmarshal number into "
       "field kind of type string"},
      {"[a]",
       "couldn't get version/kind; json parse error: json: cannot unmarshal array into an "
       "object"},
      {"{\"kind\":", "json parse error: line 1, column 9: unexpected end of JSON input"},
      {"kind: Pod\napiVersion: v1", "no kind \"Pod\" is registered for version \"v1\""},
      {"kind: VolumeBindingArgs\napiVersion: kubescheduler.config.k8s.io/v1",
       "couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, "
       "Kind=VolumeBindingArgs: "},
      {"kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/__internal\nx: 1",
       "strict decoding error: unknown field \"x\""},
  };
  for (const auto& c : cases) EXPECT_THAT(ProblemsOf(c.text), ElementsAre(c.want)) << c.text;
}

TEST(Decode, ChecksTheTypeOfArguments) {
  const struct {
    const char* args;
    const char* want;
  } cases[] = {
      {"{kind: VolumeBindingArgs}",
       "args for plugin NodeAffinity were not of type "
       "NodeAffinityArgs.kubescheduler.config.k8s.io, got "
       "VolumeBindingArgs.kubescheduler.config.k8s.io"},
      {"{apiVersion: v1}",
       "decoding args for plugin NodeAffinity: no kind \"NodeAffinityArgs\" is registered for "
       "version \"v1\""},
      {"{kind: Pod}",
       "decoding args for plugin NodeAffinity: no kind \"Pod\" is registered for version "
       "\"kubescheduler.config.k8s.io/v1\""},
      {"5",
       "decoding args for plugin NodeAffinity: couldn't get version/kind; json parse error: "
       "json: cannot unmarshal number into an object"},
  };
  for (const auto& c : cases) {
    const std::string text =
        kHeader + "profiles: [{pluginConfig: [{name: NodeAffinity, args: " + c.args + "}]}]\n";
    EXPECT_THAT(ProblemsOf(text),
                ElementsAre(std::string("decoding .profiles[0].pluginConfig[0]: ") + c.want));
  }
}

TEST(Decode, StoresTheArgumentsOfUnknownPluginsAsText) {
  const auto configuration = Decode(kHeader + R"(
profiles:
- pluginConfig:
  - {name: Mine, args: {b: [1, two], a: null}}
  - {name: Bare}
)");
  ASSERT_TRUE(configuration.has_value());
  const std::vector<PluginConfig>& configs = configuration->profiles[0].plugin_config;
  const auto text = api::ParseJson(std::any_cast<std::string>(configs[0].args));
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(api::ToJsonText(*text), R"({"b":[1,"two"],"a":null})");
  EXPECT_FALSE(configs[1].args.has_value());
}

TEST(Decode, StartsAGivenScoringStrategyEmpty) {
  const auto strategy = [](const std::string& args) {
    const auto configuration = Decode(
        kHeader + "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: " + args + "}]}]\n");
    return std::any_cast<framework::NodeResourcesFitArgs>(
               configuration->profiles[0].plugin_config[0].args)
        .scoring_strategy;
  };
  EXPECT_EQ(strategy("{}").type, "LeastAllocated");
  EXPECT_EQ(strategy("{scoringStrategy: {}}").type, "");
  EXPECT_EQ(strategy("{scoringStrategy: {type: X}}").resources,
            (std::vector<framework::ResourceWeight>{{"cpu", 1}, {"memory", 1}}));
  EXPECT_EQ(strategy("{scoringStrategy: {requestedToCapacityRatio: {}}}").shape,
            std::vector<framework::ShapePoint>{});
  EXPECT_EQ(strategy("{scoringStrategy: {}}").shape, std::nullopt);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::config
