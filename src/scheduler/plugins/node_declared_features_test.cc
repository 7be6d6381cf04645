#include "scheduler/plugins/node_declared_features.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// Filters four nodes: one without declared features, one with each feature alone, and one with both
// among others.
struct FilterCase {
  const char* name;
  const char* spec;
  const char* want;  // One character per node: '1' feasible, '0' rejected.
};

class NodeDeclaredFeaturesTest : public testing::TestWithParam<FilterCase> {};

TEST_P(NodeDeclaredFeaturesTest, Filter) {
  TestCluster world{
      NodeYaml("none"),
      NodeYaml("restart", {.status = "declaredFeatures: [RestartAllContainersOnContainerExits]"}),
      NodeYaml("users", {.status = "declaredFeatures: [UserNamespacesHostNetworkSupport]"}),
      NodeYaml("both", {.status = "declaredFeatures: [ExtendWebSocketsToKubelet, "
                                  "RestartAllContainersOnContainerExits, SomethingNew, "
                                  "UserNamespacesHostNetworkSupport]"})};
  PluginHarness trial(world, MakePlugin("NodeDeclaredFeatures"),
                      PodYaml("web", {.spec = GetParam().spec}));
  EXPECT_EQ(trial.Filter(), GetParam().want);
}

const FilterCase kFilterCases[] = {
    {"PlainPodsSkip", "containers: [{name: main}]", "Skip"},
    {"RestartAllNeedsItsFeature",
     "containers: [{name: main, restartPolicyRules: [{action: RestartAllContainers}]}]", "0101"},
    {"RestartAllInALaterRuleToo",
     "containers: [{name: main, restartPolicyRules: [{action: Restart}, {action: "
     "RestartAllContainers}]}]",
     "0101"},
    {"RestartAllOfAnInitContainerToo",
     "initContainers: [{name: setup, restartPolicyRules: [{action: RestartAllContainers}]}]",
     "0101"},
    {"RestartAllOfALaterContainerToo",
     "containers: [{name: main}, {name: other, restartPolicyRules: [{action: "
     "RestartAllContainers}]}]",
     "0101"},
    {"RestartOfOneContainerSkips",
     "containers: [{name: main, restartPolicyRules: [{action: Restart}]}]", "Skip"},
    {"UserNamespaceOnTheHostNetworkNeedsItsFeature", "hostNetwork: true, hostUsers: false", "0011"},
    {"HostUsersOnTheHostNetworkSkip", "hostNetwork: true, hostUsers: true", "Skip"},
    {"UnsetHostUsersOnTheHostNetworkSkip", "hostNetwork: true", "Skip"},
    {"UserNamespaceOnThePodNetworkSkips", "hostUsers: false", "Skip"},
    {"AllThatIsNeededMustBeDeclared",
     "hostNetwork: true, hostUsers: false, "
     "containers: [{name: main, restartPolicyRules: [{action: RestartAllContainers}]}]",
     "0001"},
};

INSTANTIATE_TEST_SUITE_P(All, NodeDeclaredFeaturesTest, testing::ValuesIn(kFilterCases),
                         [](const auto& c) { return c.param.name; });

TEST(NodeDeclaredFeatures, SaysWhy) {
  TestCluster world{NodeYaml("a")};
  PluginHarness trial(world, MakePlugin("NodeDeclaredFeatures"),
                      PodYaml("web", {.spec = "hostNetwork: true, hostUsers: false"}));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("a"),
            "UnschedulableAndUnresolvable: node(s) didn't match Pod's required features");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
