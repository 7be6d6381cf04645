#include "scheduler/plugins/node_name.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

struct FilterCase {
  const char* name;
  const char* spec;
  const char* want;  // One character for each of the nodes "a", "b" and "ab".
};

class NodeNameTest : public testing::TestWithParam<FilterCase> {};

TEST_P(NodeNameTest, Filter) {
  TestCluster world{NodeYaml("a"), NodeYaml("b"), NodeYaml("ab")};
  PluginHarness trial(world, MakePlugin("NodeName"), PodYaml("web", {.spec = GetParam().spec}));
  EXPECT_EQ(trial.Filter(), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(All, NodeNameTest,
                         testing::Values(FilterCase{"NoNameFitsAll", "", "111"},
                                         FilterCase{"TheEmptyNameFitsAll", "nodeName: ''", "111"},
                                         FilterCase{"ANameFitsThatNodeAlone", "nodeName: b", "010"},
                                         FilterCase{"APrefixIsNotTheName", "nodeName: a", "100"},
                                         FilterCase{"AnUnknownNameFitsNone", "nodeName: nowhere",
                                                    "000"}),
                         [](const auto& c) { return c.param.name; });

TEST(NodeName, SaysWhy) {
  TestCluster world{NodeYaml("a")};
  PluginHarness trial(world, MakePlugin("NodeName"), PodYaml("web", {.spec = "nodeName: b"}));
  EXPECT_EQ(trial.Filter(), "0");
  EXPECT_EQ(trial.Explain("a"),
            "UnschedulableAndUnresolvable: node(s) didn't match the requested node name");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
