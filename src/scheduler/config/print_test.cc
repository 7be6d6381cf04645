#include "scheduler/config/print.h"

#include <gtest/gtest.h>

#include "api/json/writer.h"
#include "api/json/yaml_writer.h"
#include "scheduler/config/field_codec.h"

namespace berth::scheduler::config {
namespace BERTH_TEST_FILE {

TEST(Print, WritesTheShortestFloats) {
  const struct {
    float number;
    const char* want;
  } cases[] = {
      {0, "0"},
      {50, "50"},
      {12.5F, "12.5"},
      {0.1F, "0.1"},
      {-1, "-1"},
      {100000, "100000"},
      {1e20F, "100000000000000000000"},
      {1e-6F, "0.000001"},
      {1e-7F, "1e-7"},
  };
  for (const auto& c : cases) EXPECT_EQ(api::ToJsonText(ToJson(c.number)), c.want);
}

TEST(Print, OmitsOnlyWhatKubernetesOmits) {
  Configuration configuration;
  configuration.leader_election.resource_lock = "";
  configuration.percentage_of_nodes_to_score.reset();
  framework::ExtenderConfig& extender = configuration.extenders.emplace_back();
  extender.tls.emplace().ca_data.bytes = "foo";
  extender.weight = -1;
  EXPECT_EQ(ToYaml(configuration), R"(apiVersion: kubescheduler.config.k8s.io/v1
clientConnection:
  acceptContentTypes: ""
  burst: 100
  contentType: application/vnd.kubernetes.protobuf
  kubeconfig: ""
  qps: 50
enableContentionProfiling: false
enableProfiling: true
extenders:
- httpTimeout: 0s
  tlsConfig:
    caData: Zm9v
  urlPrefix: ""
  weight: -1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: true
  leaseDuration: 15s
  renewDeadline: 10s
  resourceLock: ""
  resourceName: kube-scheduler
  resourceNamespace: kube-system
  retryPeriod: 2s
parallelism: 16
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 10
)");
}

TEST(Print, WritesArgumentsWithTheirKind) {
  framework::NodeResourcesFitArgs fit;
  fit.scoring_strategy.type = "RequestedToCapacityRatio";
  fit.scoring_strategy.shape = {{0, 10}, {100, 0}};
  EXPECT_EQ(api::ToYamlText(ArgsToJson(fit)), R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: NodeResourcesFitArgs
scoringStrategy:
  requestedToCapacityRatio:
    shape:
    - score: 10
      utilization: 0
    - score: 0
      utilization: 100
  resources:
  - name: cpu
    weight: 1
  - name: memory
    weight: 1
  type: RequestedToCapacityRatio
)");
  framework::GangSchedulingArgs gangs;
  gangs.search = "Complete";
  gangs.topology_levels = {"rack", "zone"};
  EXPECT_EQ(api::ToYamlText(ArgsToJson(gangs)), R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: GangSchedulingArgs
search: Complete
searchBudget: 10000
topologyLevels:
- rack
- zone
)");
  EXPECT_EQ(api::ToJsonText(ArgsToJson(std::string(R"({"any": [1]})"))), R"({"any":[1]})");
  EXPECT_EQ(api::ToJsonText(ArgsToJson(framework::PluginArgs())), "null");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::config
