#include "scheduler/plugins/node_resources/balanced_allocation.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string Asking(std::string_view name, std::string_view requests, std::string_view node = "") {
  return PodYaml(
      name, {.spec = fmt::format("containers: [{{name: main, resources: {{requests: {{{}}}}}}}], "
                                 "nodeName: '{}'",
                                 requests, node)});
}

struct NodeCase {
  const char* allocatable;
  const char* used = nullptr;  // The requests of a pod on it; no pod if null.
};

using Resources = std::vector<framework::ResourceWeight>;

struct ScoreCase {
  const char* name;
  Resources resources;
  const char* requests;
  std::vector<NodeCase> nodes;
  const char* want;
};

class BalancedScoreTest : public testing::TestWithParam<ScoreCase> {};

TEST_P(BalancedScoreTest, Score) {
  const ScoreCase& c = GetParam();
  TestCluster world;
  for (size_t i = 0; i < c.nodes.size(); ++i) {
    const std::string name = NthName(i);
    world.Add(
        NodeYaml(name, {.status = fmt::format("allocatable: {{{}}}", c.nodes[i].allocatable)}));
    if (c.nodes[i].used != nullptr) world.Add(Asking("on-" + name, c.nodes[i].used, name));
  }
  PluginHarness trial(world,
                      MakePlugin("NodeResourcesBalancedAllocation",
                                 framework::NodeResourcesBalancedAllocationArgs{c.resources}),
                      Asking("web", c.requests));
  EXPECT_EQ(trial.Scores(), c.want);
}

const Resources kTwo = {{"cpu", 1}, {"memory", 1}};
const Resources kThree = {{"cpu", 1}, {"memory", 1}, {"example.com/gpu", 1}};

const ScoreCase kScoreCases[] = {
    {"PodsThatAskForNothingSkip", kTwo, "", {{"cpu: 4, memory: 8Gi"}}, "Skip"},
    {"AskingForZeroSkips", kTwo, "cpu: 0, memory: 0", {{"cpu: 4, memory: 8Gi"}}, "Skip"},
    {"AskingForOtherResourcesSkips", kTwo, "example.com/gpu: 1", {{"cpu: 4, memory: 8Gi"}}, "Skip"},
    {"OneOfTheResourcesIsEnough", kTwo, "memory: 4Gi", {{"cpu: 4, memory: 8Gi"}}, "62"},
    // Even before; 0.75 and 0.5 after: 87.
    {"UpsettingTheBalanceCosts", kTwo, "cpu: 3, memory: 5000", {{"cpu: 4, memory: 10000"}}, "68"},
    {"UpsettingItOnAUsedNodeCostsTheSame",
     kTwo,
     "cpu: 1",
     {{"cpu: 4, memory: 8Gi", "cpu: 1, memory: 2Gi"}},
     "68"},
    {"UpsettingItMoreCostsMore",
     kTwo,
     "cpu: 2",
     {{"cpu: 4, memory: 8Gi", "cpu: 1, memory: 2Gi"}},
     "62"},
    {"UpsettingItAltogetherCostsMost", kTwo, "cpu: 4", {{"cpu: 4, memory: 8Gi"}}, "50"},
    // 0.5 and 0 before: 75; even after.
    {"MendingItPays", kTwo, "memory: 4Gi", {{"cpu: 4, memory: 8Gi", "cpu: 2"}}, "87"},
    {"MendingItAltogetherPaysMost",
     kTwo,
     "memory: 8Gi",
     {{"cpu: 4, memory: 8Gi", "cpu: 4"}},
     "100"},
    {"KeepingItIsInBetween", kTwo, "cpu: 1, memory: 2Gi", {{"cpu: 4, memory: 8Gi"}}, "75"},
    {"MoreThanTheNodeHasCountsAsAll", kTwo, "cpu: 4", {{"cpu: 4, memory: 8Gi", "cpu: 4"}}, "75"},
    // With a stand-in of 100m for the pod on the node, its cpu would be full before and after.
    {"PodsThatAskForNothingDoNotCount",
     kTwo,
     "cpu: 100m",
     {{"cpu: 100m, memory: 800Gi", ""}},
     "50"},
    {"WhatTheNodeLacksIsLeftOut",
     kTwo,
     "cpu: 1, memory: 1Gi",
     {{"cpu: 4"}, {"memory: 8Gi"}, {""}},
     "75 75 75"},
    {"OneResourceIsAlwaysEven", {{"cpu", 1}}, "cpu: 3", {{"cpu: 4, memory: 8Gi"}}, "75"},
    // (1 - 0.68 / 2) * 100 is a little less than 66 in floating point.
    {"FractionsAreTruncated", kTwo, "cpu: 68m", {{"cpu: 100m, memory: 100"}}, "57"},
    // 94 before and after.
    {"ThreeResourcesDeviate",
     kThree,
     "cpu: 500m, example.com/gpu: 1",
     {{"cpu: 4, memory: 8Gi, example.com/gpu: 4", "cpu: 500m, memory: 1Gi"}},
     "75"},
    // 0.25, 0.5 and 0.75 deviate by 0.204 from their mean: 79.
    {"ThreeResourcesDeviateFromTheirMean",
     kThree,
     "cpu: 1, memory: 4Gi, example.com/gpu: 3",
     {{"cpu: 4, memory: 8Gi, example.com/gpu: 4"}},
     "64"},
    {"AScalarThatThePodDoesNotWantIsLeftOut",
     kThree,
     "cpu: 1, memory: 2Gi",
     {{"cpu: 4, memory: 8Gi, example.com/gpu: 4", "example.com/gpu: 4"}},
     "75"},
    {"AScalarThatTheNodeLacksIsLeftOut",
     kThree,
     "cpu: 1, memory: 2Gi, example.com/gpu: 1",
     {{"cpu: 4, memory: 8Gi"}},
     "75"},
    {"StorageIsNotLeftOut",
     {{"cpu", 1}, {"ephemeral-storage", 1}},
     "cpu: 2",
     {{"cpu: 4, ephemeral-storage: 1Gi"}},
     "62"},
};

INSTANTIATE_TEST_SUITE_P(All, BalancedScoreTest, testing::ValuesIn(kScoreCases),
                         [](const auto& c) { return c.param.name; });

TEST(BalancedAllocation, CountsPodLevelRequests) {
  TestCluster world{NodeYaml("a", {.status = "allocatable: {cpu: 4, memory: 8Gi}"})};
  PluginHarness trial(
      world, MakePlugin("NodeResourcesBalancedAllocation"),
      PodYaml("web", {.spec = "containers: [{name: main}], resources: {requests: {cpu: 2}}"}));
  EXPECT_EQ(trial.Scores(), "62");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
