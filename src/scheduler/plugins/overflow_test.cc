// Numbers that no API server admits, through the rules: no score leaves its range, and nonsense on
// one node changes nothing for the others.
#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string Offering(std::string_view node, std::string_view memory) {
  return NodeYaml(node, {.status = fmt::format("allocatable: {{pods: 9, memory: {}}}", memory)});
}

std::string Requesting(std::string_view pod, std::string_view memory, std::string_view node = "") {
  return PodYaml(pod, {.spec = fmt::format("nodeName: '{}', containers: [{{name: c, resources: "
                                           "{{requests: {{memory: {}}}}}}}]",
                                           node, memory)});
}

framework::NodeResourcesFitArgs ByMemory(const std::string& strategy) {
  framework::NodeResourcesFitArgs args;
  args.scoring_strategy.type = strategy;
  args.scoring_strategy.resources = {{"memory", 1}};
  if (strategy == "RequestedToCapacityRatio") args.scoring_strategy.shape = {{0, 0}, {100, 10}};
  return args;
}

struct FitCase {
  const char* name;
  const char* strategy;
  const char* want;
};

class OverflowingRequestsTest : public testing::TestWithParam<FitCase> {};

// a: two pods of 9E. b: a node of 8E, half used with the pod. c: an ordinary node, half used.
TEST_P(OverflowingRequestsTest, FitScore) {
  TestCluster world{Offering("a", "9E"),           Offering("b", "8E"),
                    Offering("c", "8Gi"),          Requesting("one", "9E", "a"),
                    Requesting("two", "9E", "a"),  Requesting("three", "4E", "b"),
                    Requesting("four", "3Gi", "c")};
  PluginHarness trial(world, MakePlugin("NodeResourcesFit", ByMemory(GetParam().strategy)),
                      Requesting("web", "1Gi"));
  EXPECT_EQ(trial.Scores(), GetParam().want);
  EXPECT_EQ(trial.Filter(), "011");
}

INSTANTIATE_TEST_SUITE_P(All, OverflowingRequestsTest,
                         testing::Values(FitCase{"Least", "LeastAllocated", "0 49 50"},
                                         FitCase{"Most", "MostAllocated", "100 50 50"},
                                         FitCase{"Ratio", "RequestedToCapacityRatio", "100 50 50"}),
                         [](const auto& test) { return test.param.name; });

TEST(Overflow, IncomingPodThatIsTooLargeScoresZeroEverywhere) {
  TestCluster world{Offering("a", "9E"), Offering("b", "8Gi"), Requesting("one", "9E", "a")};
  PluginHarness trial(world, MakePlugin("NodeResourcesFit", ByMemory("LeastAllocated")),
                      Requesting("web", "9E"));
  EXPECT_EQ(trial.Scores(), "0 0");
}

TEST(Overflow, NegativeRequestsMakeNoRoom) {
  TestCluster world{Offering("a", "1Gi"), Requesting("one", "-8Gi", "a")};
  PluginHarness trial(world, MakePlugin("NodeResourcesFit", ByMemory("LeastAllocated")),
                      Requesting("web", "2Gi"));
  EXPECT_EQ(trial.Filter(), "0");
  PluginHarness small(world, MakePlugin("NodeResourcesFit", ByMemory("LeastAllocated")),
                      Requesting("web", "-2Gi"));
  EXPECT_EQ(small.Scores(), "100");
}

TEST(Overflow, BalanceOfSaturatedSums) {
  TestCluster world{
      NodeYaml("a", {.status = "allocatable: {pods: 9, cpu: 4, memory: 9E}"}),
      PodYaml("one", {.spec = "nodeName: a, containers: [{name: c, resources: {requests: {cpu: 9E, "
                              "memory: 9E}}}]"})};
  PluginHarness trial(
      world, MakePlugin("NodeResourcesBalancedAllocation"),
      PodYaml("web", {.spec = "containers: [{name: c, resources: {requests: {cpu: 9E, memory: "
                              "9E}}}]"}));
  EXPECT_EQ(trial.Scores(), "75");
}

TEST(Overflow, ImageSizesBeyondMeasure) {
  const auto holding = [](std::string_view node, std::string_view size) {
    return NodeYaml(node, {.status = fmt::format("images: [{{names: ['{}:1'], sizeBytes: {}}}, "
                                                 "{{names: ['{}:2'], sizeBytes: {}}}]",
                                                 node, size, node, size)});
  };
  TestCluster world{holding("a", "9223372036854775807"), holding("b", "-9223372036854775808")};
  PluginHarness trial(world, MakePlugin("ImageLocality"),
                      PodYaml("web", {.spec = "containers: [{name: c, image: 'a:1'}, {name: d, "
                                              "image: 'a:2'}, {name: e, image: 'b:1'}]"}));
  EXPECT_EQ(trial.Scores(), "100 0");
}

TEST(Overflow, NodeAffinityWeights) {
  TestCluster world{NodeYaml("a", {.labels = "x: '', w: ''"}), NodeYaml("b", {.labels = "z: ''"}),
                    NodeYaml("c")};
  const auto term = [](std::string_view key, std::string_view weight) {
    return fmt::format(
        "{{weight: {}, preference: {{matchExpressions: [{{key: {}, operator: Exists}}]}}}}", weight,
        key);
  };
  PluginHarness trial(
      world, MakePlugin("NodeAffinity"),
      PodYaml("web", {.spec = fmt::format("affinity: {{nodeAffinity: "
                                          "{{preferredDuringSchedulingIgnoredDuringExecution: "
                                          "[{}, {}, {}]}}}}",
                                          term("x", "2147483647"), term("w", "2147483647"),
                                          term("z", "-2147483648"))}));
  EXPECT_EQ(trial.Scores(), "100 0 0");
}

TEST(Overflow, PodAffinityWeightsAreLimited) {
  const auto node = [](std::string_view name) {
    return NodeYaml(name, {.labels = fmt::format("host: {}", name)});
  };
  TestCluster world{node("a"), node("b"),
                    PodYaml("one", {.labels = "app: db", .spec = "nodeName: a"})};
  const std::string term =
      "podAffinityTerm: {topologyKey: host, labelSelector: {matchLabels: {app: db}}}";
  PluginHarness trial(
      world, MakePlugin("InterPodAffinity"),
      PodYaml("web",
              {.spec = fmt::format("affinity: {{podAffinity: "
                                   "{{preferredDuringSchedulingIgnoredDuringExecution: [{{weight: "
                                   "2147483647, {}}}]}}, podAntiAffinity: "
                                   "{{preferredDuringSchedulingIgnoredDuringExecution: [{{weight: "
                                   "-2147483648, {}}}]}}}}",
                                   term, term)}));
  EXPECT_EQ(trial.RawScores(), "2097152 0");
  EXPECT_EQ(trial.Scores(), "100 0");
}

TEST(Overflow, SpreadWithNegativeSkew) {
  const auto node = [](std::string_view name) {
    return NodeYaml(name, {.labels = fmt::format("zone: {}", name)});
  };
  TestCluster world{node("a"), node("b"),
                    PodYaml("one", {.labels = "app: web", .spec = "nodeName: a"})};
  for (const char* skew : {"-2147483648", "-1", "0", "2147483647"}) {
    SCOPED_TRACE(skew);
    PluginHarness trial(
        world, MakePlugin("PodTopologySpread"),
        PodYaml("web", {.labels = "app: web",
                        .spec = fmt::format(
                            "topologySpreadConstraints: [{{maxSkew: {}, topologyKey: zone, "
                            "whenUnsatisfiable: ScheduleAnyway, labelSelector: {{matchLabels: "
                            "{{app: web}}}}}}]",
                            skew)}));
    EXPECT_NE(trial.Scores(), "");  // Checks the range.
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
