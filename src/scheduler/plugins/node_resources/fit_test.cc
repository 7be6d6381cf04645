#include "scheduler/plugins/node_resources/fit.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// A pod whose only container has `requests`: "cpu: 1, memory: 1Gi".
std::string Asking(std::string_view name, std::string_view requests, std::string_view node = "") {
  return PodYaml(
      name, {.spec = fmt::format("containers: [{{name: main, resources: {{requests: {{{}}}}}}}], "
                                 "nodeName: '{}'",
                                 requests, node)});
}

struct NodeCase {
  const char* allocatable;
  std::vector<const char*> pods = {};  // The requests of each pod on it.
};

void AddNodes(TestCluster& world, const std::vector<NodeCase>& nodes) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string name = NthName(i);
    world.Add(NodeYaml(name, {.status = fmt::format("allocatable: {{{}}}", nodes[i].allocatable)}));
    for (size_t k = 0; k < nodes[i].pods.size(); ++k) {
      world.Add(Asking(fmt::format("{}-{}", name, k), nodes[i].pods[k], name));
    }
  }
}

struct FilterCase {
  const char* name;
  const char* requests;
  std::vector<NodeCase> nodes;
  std::vector<const char*> want;  // The reasons for each node.
};

class FitFilterTest : public testing::TestWithParam<FilterCase> {};

TEST_P(FitFilterTest, Explain) {
  const FilterCase& c = GetParam();
  TestCluster world;
  AddNodes(world, c.nodes);
  PluginHarness trial(world, MakePlugin("NodeResourcesFit"), Asking("web", c.requests));
  trial.Filter();  // Checked against Explain.
  for (size_t i = 0; i < c.want.size(); ++i)
    EXPECT_EQ(trial.Explain(NthName(i)), c.want[i]) << NthName(i);
}

constexpr const char* kFour = "cpu: 4, memory: 8Gi, pods: 110";

const FilterCase kFilterCases[] = {
    {"EmptyPodsNeedASlotAlone",
     "",
     {{"pods: 1"}, {"cpu: 4"}, {"pods: 1", {""}}},
     {"Success", "Unschedulable: Too many pods", "Unschedulable: Too many pods"}},
    {"ExactlyFullFits",
     "cpu: 500m, memory: 1Gi",
     {{kFour, {"cpu: 3500m, memory: 7Gi"}}},
     {"Success"}},
    {"OneUnitTooManyDoesNot",
     "cpu: 501m",
     {{kFour, {"cpu: 3500m"}}},
     {"Unschedulable: Insufficient cpu"}},
    {"AnythingFinerIsRoundedUp",
     "cpu: 500100u",
     {{kFour, {"cpu: 3500m"}}},
     {"Unschedulable: Insufficient cpu"}},
    {"PreemptionMayHelp",
     "cpu: 600m",
     {{kFour, {"cpu: 3500m"}}},
     {"Unschedulable: Insufficient cpu"}},
    {"PreemptionCannotHelpIfTheNodeIsTooSmall",
     "cpu: 5",
     {{kFour, {"cpu: 3500m"}}, {kFour}},
     {"UnschedulableAndUnresolvable: Insufficient cpu",
      "UnschedulableAndUnresolvable: Insufficient cpu"}},
    {"OneHopelessResourceIsEnough",
     "cpu: 600m, memory: 9Gi",
     {{kFour, {"cpu: 3500m"}}},
     {"UnschedulableAndUnresolvable: Insufficient cpu, Insufficient memory"}},
    {"AllShortagesAreNamedInOrder",
     "cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi, example.com/gpu: 1",
     {{"cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi, example.com/gpu: 1, pods: 1",
       {"cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi, example.com/gpu: 1"}}},
     {"Unschedulable: Too many pods, Insufficient cpu, Insufficient memory, Insufficient "
      "ephemeral-storage, "
      "Insufficient example.com/gpu"}},
    {"NoSlotAndHopelessIsHopeless",
     "cpu: 5",
     {{"cpu: 4, pods: 1", {""}}},
     {"UnschedulableAndUnresolvable: Too many pods, Insufficient cpu"}},
    {"AResourceThatTheNodeLacksIsHopeless",
     "memory: 1",
     {{"cpu: 4, pods: 9"}},
     {"UnschedulableAndUnresolvable: Insufficient memory"}},
    {"AskingForNothingIgnoresOvercommitment", "", {{kFour, {"cpu: 5, memory: 9Gi"}}}, {"Success"}},
    {"AskingForZeroIgnoresOvercommitment",
     "cpu: 0, memory: 1Gi",
     {{kFour, {"cpu: 5"}}},
     {"Success"}},
    {"AskingForMoreOfTheOvercommittedIsTooMuch",
     "cpu: 1m",
     {{kFour, {"cpu: 5"}}},
     {"Unschedulable: Insufficient cpu"}},
    {"EphemeralStorage",
     "ephemeral-storage: 2Gi",
     {{"ephemeral-storage: 2Gi, pods: 9"},
      {"ephemeral-storage: 2Gi, pods: 9", {"ephemeral-storage: 1"}}},
     {"Success", "Unschedulable: Insufficient ephemeral-storage"}},
    {"ScalarResources",
     "example.com/gpu: 2",
     {{"example.com/gpu: 2, pods: 9"},
      {"example.com/gpu: 3, pods: 9", {"example.com/gpu: 2"}},
      {kFour}},
     {"Success", "Unschedulable: Insufficient example.com/gpu",
      "UnschedulableAndUnresolvable: Insufficient example.com/gpu"}},
    {"ScalarsAskedAsZeroAreNotMissed", "example.com/gpu: 0", {{kFour}}, {"Success"}},
    {"HugePages",
     "hugepages-2Mi: 4Mi",
     {{"hugepages-2Mi: 4Mi, pods: 9"}, {"hugepages-2Mi: 2Mi, pods: 9"}},
     {"Success", "UnschedulableAndUnresolvable: Insufficient hugepages-2Mi"}},
    {"NamesThatNoRuleCountsAreIgnored", "shoes: 2", {{kFour}}, {"Success"}},
};

INSTANTIATE_TEST_SUITE_P(All, FitFilterTest, testing::ValuesIn(kFilterCases),
                         [](const auto& c) { return c.param.name; });

struct IgnoreCase {
  const char* name;
  std::vector<std::string> resources, groups;
  const char* requests;
  const char* want;
};

class FitIgnoreTest : public testing::TestWithParam<IgnoreCase> {};

TEST_P(FitIgnoreTest, Explain) {
  const IgnoreCase& c = GetParam();
  TestCluster world;
  AddNodes(world, {{kFour}});
  framework::NodeResourcesFitArgs args;
  args.ignored_resources = c.resources;
  args.ignored_resource_groups = c.groups;
  PluginHarness trial(world, MakePlugin("NodeResourcesFit", args), Asking("web", c.requests));
  trial.Filter();
  EXPECT_EQ(trial.Explain("a"), c.want);
}

const IgnoreCase kIgnoreCases[] = {
    {"ByName", {"example.com/gpu"}, {}, "example.com/gpu: 1", "Success"},
    {"ByGroup", {}, {"example.com"}, "example.com/gpu: 1, example.com/tpu: 1", "Success"},
    {"OtherNamesCount",
     {"example.com/gpu"},
     {},
     "example.com/gpu: 1, example.com/tpu: 1",
     "UnschedulableAndUnresolvable: Insufficient example.com/tpu"},
    {"OtherGroupsCount",
     {},
     {"example.com"},
     "sub.example.com/gpu: 1",
     "UnschedulableAndUnresolvable: Insufficient sub.example.com/gpu"},
    {"ANameIsNotAPrefix",
     {"example.com/gp"},
     {},
     "example.com/gpu: 1",
     "UnschedulableAndUnresolvable: Insufficient example.com/gpu"},
    {"NativeResourcesCannotBeIgnored",
     {"cpu", "memory"},
     {},
     "cpu: 5",
     "UnschedulableAndUnresolvable: Insufficient cpu"},
    {"HugePagesCannotBeIgnored",
     {"hugepages-2Mi"},
     {},
     "hugepages-2Mi: 2Mi",
     "UnschedulableAndUnresolvable: Insufficient hugepages-2Mi"},
    {"KubernetesOwnGroupCannotBeIgnored",
     {},
     {"kubernetes.io"},
     "kubernetes.io/batch: 1",
     "UnschedulableAndUnresolvable: Insufficient kubernetes.io/batch"},
};

INSTANTIATE_TEST_SUITE_P(All, FitIgnoreTest, testing::ValuesIn(kIgnoreCases),
                         [](const auto& c) { return c.param.name; });

TEST(NodeResourcesFit, NamesAHundredInsufficientResources) {
  TestCluster world;
  AddNodes(world, {{"pods: 110, example.com/r150: 1"}});
  std::string requests;
  for (int i = 101; i <= 250; ++i) requests += fmt::format("example.com/r{}: 1, ", i);
  PluginHarness trial(world, MakePlugin("NodeResourcesFit"), Asking("web", requests.c_str()));
  trial.Filter();
  const std::string reasons = trial.Explain("a");
  EXPECT_TRUE(reasons.starts_with("UnschedulableAndUnresolvable: Insufficient example.com/r101"));
  EXPECT_TRUE(reasons.ends_with("Insufficient example.com/r201")) << reasons;  // r150 is there.
}

TEST(NodeResourcesFit, CountsInitContainersSidecarsOverheadAndPodLevel) {
  constexpr const char* kContainers =
      "initContainers: [{name: i1, resources: {requests: {cpu: 2, memory: 1Gi}}}, "
      "{name: s1, restartPolicy: Always, resources: {requests: {cpu: 500m, memory: 256Mi}}}, "
      "{name: i2, resources: {requests: {cpu: 2, memory: 3Gi}}}], "
      "containers: [{name: a, resources: {requests: {cpu: 2, memory: 1Gi}}}, "
      "{name: b, resources: {requests: {cpu: 1, memory: 1Gi}}}]";
  struct Case {
    const char* more;
    std::vector<NodeCase> nodes;
    const char* want;
  };
  const Case cases[] = {
      {"",
       {{"cpu: 3500m, memory: 3328Mi, pods: 9"},
        {"cpu: 3499m, memory: 3328Mi, pods: 9"},
        {"cpu: 3500m, memory: 3327Mi, pods: 9"}},
       "100"},
      {", overhead: {cpu: 250m, memory: 128Mi}",
       {{"cpu: 3750m, memory: 3456Mi, pods: 9"}, {"cpu: 3749m, memory: 3456Mi, pods: 9"}},
       "10"},
      {", overhead: {cpu: 250m, memory: 128Mi}, resources: {requests: {cpu: 5}}",
       {{"cpu: 5250m, memory: 3456Mi, pods: 9"}, {"cpu: 5249m, memory: 3456Mi, pods: 9"}},
       "10"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.more);
    TestCluster world;
    AddNodes(world, c.nodes);
    PluginHarness trial(world, MakePlugin("NodeResourcesFit"),
                        PodYaml("web", {.spec = std::string(kContainers) + c.more}));
    EXPECT_EQ(trial.Filter(), c.want);
  }
}

TEST(NodeResourcesFit, SeesColumnsThatTurnUpLater) {
  TestCluster world;
  AddNodes(world, {{kFour}});
  PluginHarness trial(world, MakePlugin("NodeResourcesFit"), Asking("web", "example.com/gpu: 1"));
  EXPECT_EQ(trial.Filter(), "0");
  world.Add(NodeYaml("b", {.status = "allocatable: {example.com/gpu: 1, pods: 1}"}));
  EXPECT_EQ(trial.Filter(), "01");
}

using Strategy = framework::NodeResourcesFitArgs::ScoringStrategy;

struct ScoreCase {
  const char* name;
  Strategy strategy;
  const char* requests;
  std::vector<NodeCase> nodes;
  const char* want;
};

class FitScoreTest : public testing::TestWithParam<ScoreCase> {};

TEST_P(FitScoreTest, Score) {
  const ScoreCase& c = GetParam();
  TestCluster world;
  AddNodes(world, c.nodes);
  framework::NodeResourcesFitArgs args;
  args.scoring_strategy = c.strategy;
  PluginHarness trial(world, MakePlugin("NodeResourcesFit", args), Asking("web", c.requests));
  EXPECT_EQ(trial.Scores(), c.want);
}

const std::vector<framework::ResourceWeight> kCpuAndMemory = {{"cpu", 1}, {"memory", 1}};

Strategy Least(std::vector<framework::ResourceWeight> resources = kCpuAndMemory) {
  return {"LeastAllocated", std::move(resources), {}};
}
Strategy Most(std::vector<framework::ResourceWeight> resources = kCpuAndMemory) {
  return {"MostAllocated", std::move(resources), {}};
}
Strategy Curve(std::vector<framework::ShapePoint> shape,
               std::vector<framework::ResourceWeight> resources = kCpuAndMemory) {
  return {"RequestedToCapacityRatio", std::move(resources), std::move(shape)};
}

const std::vector<framework::ShapePoint> kRising = {{0, 0}, {100, 10}};
const std::vector<framework::ShapePoint> kFalling = {{0, 10}, {70, 5}, {100, 0}};
constexpr const char* kQuarterUsed = "cpu: 1, memory: 2Gi";

const ScoreCase kScoreCases[] = {
    {"LeastAveragesTheFreeShares",
     Least(),
     "cpu: 3, memory: 5000",
     {{"cpu: 4, memory: 10000"}},
     "37"},
    {"MostAveragesTheUsedShares",
     Most(),
     "cpu: 3, memory: 5000",
     {{"cpu: 4, memory: 10000"}},
     "62"},
    {"LeastGivesEmptyContainersAStandIn",
     Least(),
     "",
     {{"cpu: 4, memory: 8Gi", {kQuarterUsed}}},
     "72"},
    {"MostGivesEmptyContainersAStandIn",
     Most(),
     "",
     {{"cpu: 4, memory: 8Gi", {kQuarterUsed}}},
     "27"},
    {"CurveGivesEmptyContainersAStandIn",
     Curve(kRising),
     "",
     {{"cpu: 4, memory: 8Gi", {kQuarterUsed}}},
     "27"},
    {"LeastIsNothingAboveTheAllocatable",
     Least(),
     "cpu: 4100m, memory: 1Gi",
     {{"cpu: 4, memory: 8Gi"}},
     "43"},
    {"MostIsAllAboveTheAllocatable",
     Most(),
     "cpu: 4100m, memory: 1Gi",
     {{"cpu: 4, memory: 8Gi"}},
     "56"},
    {"ExactlyFull", Least(), "cpu: 4, memory: 8Gi", {{"cpu: 4, memory: 8Gi"}}, "0"},
    {"ExactlyFullForMost", Most(), "cpu: 4, memory: 8Gi", {{"cpu: 4, memory: 8Gi"}}, "100"},
    {"PodsThatAskForNothingCountALittle",
     Least(),
     "cpu: 1, memory: 1Gi",
     {{"cpu: 2, memory: 4Gi"}, {"cpu: 2, memory: 4Gi", {"", "", ""}}},
     "62 47"},
    {"AnExplicitZeroGetsNoStandIn", Least(), "cpu: 0", {{"cpu: 4, memory: 400Mi"}}, "75"},
    {"WhatTheNodeLacksLeavesTheAverage",
     Least(),
     "cpu: 1",
     {{"cpu: 4"}, {"memory: 400Mi"}, {""}},
     "75 50 0"},
    {"WhatTheNodeLacksLeavesTheAverageOfMost",
     Most(),
     "cpu: 1",
     {{"cpu: 4"}, {"memory: 400Mi"}, {""}},
     "25 50 0"},
    {"WhatTheNodeLacksLeavesTheCurve",
     Curve(kRising),
     "cpu: 1",
     {{"cpu: 4"}, {"memory: 400Mi"}, {""}},
     "25 50 0"},
    {"WeightsCount",
     Least({{"cpu", 3}, {"memory", 1}}),
     "cpu: 3, memory: 5000",
     {{"cpu: 4, memory: 10000"}},
     "31"},
    {"WeightsCountForMost",
     Most({{"cpu", 3}, {"memory", 1}}),
     "cpu: 3, memory: 5000",
     {{"cpu: 4, memory: 10000"}},
     "68"},
    {"OneResource",
     Least({{"memory", 1}}),
     "cpu: 3, memory: 1000",
     {{"cpu: 4, memory: 10000"}},
     "90"},
    // cpu 75, memory 87, storage 50, gpu 25: the sum is 237.
    {"FourResources",
     Least({{"cpu", 1}, {"memory", 1}, {"ephemeral-storage", 1}, {"example.com/gpu", 1}}),
     "cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi, example.com/gpu: 1",
     {{"cpu: 4, memory: 8Gi, ephemeral-storage: 2Gi, example.com/gpu: 4",
       {"cpu: 0, memory: 0, example.com/gpu: 2"}}},
     "59"},
    {"AScalarCountsOnNodesThatHaveIt",
     Least({{"cpu", 1}, {"example.com/gpu", 3}}),
     "cpu: 1, example.com/gpu: 1",
     {{"cpu: 4, example.com/gpu: 2"}, {"cpu: 4"}},
     "56 75"},
    {"AScalarCountsForPodsThatAskForIt",
     Least({{"cpu", 1}, {"example.com/gpu", 3}}),
     "cpu: 1, example.com/gpu: 0",
     {{"cpu: 4, example.com/gpu: 2"}},
     "75"},
    {"StorageCountsForPodsThatDoNotAskForIt",
     Least({{"cpu", 1}, {"ephemeral-storage", 1}}),
     "cpu: 1",
     {{"cpu: 4, ephemeral-storage: 1Gi"}},
     "87"},
    {"UnknownResourcesDoNotCount",
     Least({{"cpu", 1}, {"shoes", 9}}),
     "cpu: 1, shoes: 1",
     {{"cpu: 4, shoes: 2"}},
     "75"},
    {"NoResourcesScoreNothing", Least({}), "cpu: 1", {{"cpu: 4, memory: 8Gi"}}, "0"},
    // cpu at 27 % gives 81, memory at 85 % gives 25.
    {"CurveAveragesByWeight",
     Curve(kFalling, {{"cpu", 3}, {"memory", 1}}),
     "cpu: 1080m, memory: 85",
     {{"cpu: 4, memory: 100"}},
     "67"},
    {"CurveLeavesOutWhatScoresNothing",
     Curve(kFalling, {{"cpu", 3}, {"memory", 1}}),
     "cpu: 1080m, memory: 100",
     {{"cpu: 4, memory: 100"}},
     "81"},
    {"CurveTakesOverfullAsFull",
     Curve(kFalling, {{"cpu", 3}, {"memory", 1}}),
     "cpu: 1080m, memory: 101",
     {{"cpu: 4, memory: 100"}},
     "81"},
    {"CurveIsNothingIfAllScoreNothing",
     Curve(kFalling),
     "cpu: 4, memory: 100",
     {{"cpu: 4, memory: 100"}},
     "0"},
    // 27 and 28 make 27.5.
    {"CurveRoundsHalvesUp",
     Curve(kRising),
     "cpu: 27m, memory: 28",
     {{"cpu: 100m, memory: 100"}},
     "28"},
    // 27, 27 and 28 make 27.33.
    {"CurveRoundsToTheNearest",
     Curve(kRising, {{"cpu", 2}, {"memory", 1}}),
     "cpu: 27m, memory: 28",
     {{"cpu: 100m, memory: 100"}},
     "27"},
    {"CurveIsFlatBeyondItsEnds",
     Curve({{20, 3}, {60, 7}}, {{"cpu", 1}}),
     "cpu: 10m",
     {{"cpu: 100m"}, {"cpu: 10m"}, {"cpu: 25m"}},
     "30 70 50"},
    {"CurveOfOnePointIsFlat",
     Curve({{50, 4}}, {{"cpu", 1}}),
     "cpu: 10m",
     {{"cpu: 100m"}, {"cpu: 10m"}},
     "40 40"},
};

INSTANTIATE_TEST_SUITE_P(All, FitScoreTest, testing::ValuesIn(kScoreCases),
                         [](const auto& c) { return c.param.name; });

TEST(NodeResourcesFit, CurvesTruncateTowardsTheirPoints) {
  // By how many of 100 thousandths of a cpu are used.
  const std::pair<int, const char*> cases[] = {{0, "100"}, {1, "100"}, {27, "81"}, {50, "65"},
                                               {70, "50"}, {71, "49"}, {85, "25"}, {99, "2"},
                                               {100, "0"}, {101, "0"}};
  TestCluster world;
  AddNodes(world, {{"cpu: 100m"}});
  framework::NodeResourcesFitArgs args;
  args.scoring_strategy = Curve(kFalling, {{"cpu", 1}});
  for (const auto& [used, want] : cases) {
    PluginHarness trial(world, MakePlugin("NodeResourcesFit", args),
                        Asking("web", fmt::format("cpu: {}m", used)));
    EXPECT_EQ(trial.Scores(), want) << used;
  }
}

// Two empty containers and a pod-level request of one cpu.
constexpr const char* kPodLevel =
    "containers: [{name: a}, {name: b}], resources: {requests: {cpu: 1}}";

TEST(NodeResourcesFit, ScoresAnIncomingPodByItsContainersAlone) {
  TestCluster world;
  AddNodes(world, {{"cpu: 4, memory: 4Gi"}});
  PluginHarness trial(world, MakePlugin("NodeResourcesFit"), PodYaml("web", {.spec = kPodLevel}));
  EXPECT_EQ(trial.Scores(), "92");  // 200m and 400Mi: 95 and 90.
}

TEST(NodeResourcesFit, ScoresPlacedPodsByTheirPodLevelRequests) {
  TestCluster world;
  AddNodes(world, {{"cpu: 4, memory: 4Gi"}});
  world.Add(PodYaml("placed", {.spec = std::string(kPodLevel) + ", nodeName: a"}));
  PluginHarness trial(world, MakePlugin("NodeResourcesFit"), Asking("web", ""));
  EXPECT_EQ(trial.Scores(), "78");  // 1100m and 600Mi: 72 and 85.
}

TEST(NodeResourcesFit, RefusesArgumentsThatMakeNoSense) {
  framework::NodeResourcesFitArgs args;
  args.scoring_strategy.type = "Tetris";
  EXPECT_FALSE(TryMakePlugin("NodeResourcesFit", args).has_value());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
