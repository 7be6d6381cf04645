#include "scheduler/plugins/node_unschedulable.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// Filters three nodes: a schedulable one, a cordoned one, and a schedulable one with the taint.
struct FilterCase {
  const char* name;
  const char* tolerations;
  const char* want;  // One character per node: '1' feasible, '0' rejected.
};

class NodeUnschedulableTest : public testing::TestWithParam<FilterCase> {};

TEST_P(NodeUnschedulableTest, Filter) {
  TestCluster world{
      NodeYaml("open"), NodeYaml("cordoned", {.spec = "unschedulable: true"}),
      NodeYaml("tainted",
               {.spec = "taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]"})};
  PluginHarness trial(
      world, MakePlugin("NodeUnschedulable"),
      PodYaml("web", {.spec = fmt::format("tolerations: [{}]", GetParam().tolerations)}));
  EXPECT_EQ(trial.Filter(), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, NodeUnschedulableTest,
    testing::Values(
        FilterCase{"CordonedNodesAreOut", "", "101"},
        FilterCase{"TheTaintItselfIsAnotherPluginsMatter", "", "101"},
        FilterCase{"ExistsTolerates", "{key: node.kubernetes.io/unschedulable, operator: Exists}",
                   "111"},
        FilterCase{"AnyKeyTolerates", "{operator: Exists}", "111"},
        FilterCase{"EqualTakesTheEmptyValue", "{key: node.kubernetes.io/unschedulable}", "111"},
        FilterCase{"EqualRefusesAValue", "{key: node.kubernetes.io/unschedulable, value: x}",
                   "101"},
        FilterCase{"EffectNoScheduleTolerates",
                   "{key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoSchedule}",
                   "111"},
        FilterCase{"OtherEffectsDoNot",
                   "{key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoExecute}",
                   "101"},
        FilterCase{"OtherKeysDoNot", "{key: node.kubernetes.io/not-ready, operator: Exists}",
                   "101"},
        FilterCase{"OneOfSeveralIsEnough", "{key: a}, {operator: Exists}", "111"}),
    [](const auto& c) { return c.param.name; });

TEST(NodeUnschedulable, SaysWhy) {
  TestCluster world{NodeYaml("cordoned", {.spec = "unschedulable: true"})};
  PluginHarness trial(world, MakePlugin("NodeUnschedulable"), PodYaml("web"));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("cordoned"), "UnschedulableAndUnresolvable: node(s) were unschedulable");
}

TEST(NodeUnschedulable, FollowsTheNode) {
  TestCluster world{NodeYaml("a"), NodeYaml("b", {.spec = "unschedulable: true"})};
  PluginHarness trial(world, MakePlugin("NodeUnschedulable"), PodYaml("web"));
  EXPECT_EQ(trial.Filter(), "10");
  world.Add(NodeYaml("a", {.spec = "unschedulable: true"}));
  world.Add(NodeYaml("b"));
  EXPECT_EQ(trial.Filter(), "01");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
