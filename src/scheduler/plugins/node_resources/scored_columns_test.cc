#include "scheduler/framework/scored_columns.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string GpuSlice(std::string_view node, std::string_view devices) {
  return fmt::format(
      "{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: {0}}}, spec: "
      "{{driver: "
      "gpus, pool: {{name: {0}, generation: 1, resourceSliceCount: 1}}, nodeName: {0}, devices: "
      "[{1}]}}}}\n",
      node, devices);
}

std::string GpuClass(std::string_view expression) {
  return fmt::format(
      "{{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {{name: gpu}}, spec: "
      "{{extendedResourceName: e.com/gpu, selectors: [{{cel: {{expression: '{}'}}}}]}}}}\n",
      expression);
}

constexpr const char* kAllocated =
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: x, namespace: default, "
    "uid: x}, status: {allocation: {devices: {results: [{request: r, driver: gpus, pool: b, "
    "device: "
    "one}]}}}}\n";

const std::string kPod = PodYaml(
    "web", {.spec = "containers: [{name: c, image: i, resources: {requests: {e.com/gpu: 1}}}]"});

// Nodes with four devices, two of which one is allocated, none, and a device plugin.
std::string ScoresWith(std::string_view expression) {
  TestCluster world{NodeYaml("a"),
                    NodeYaml("b"),
                    NodeYaml("c"),
                    NodeYaml("d", {.status = "allocatable: {e.com/gpu: 2}"}),
                    GpuSlice("a", "{name: one}, {name: two}, {name: three}, {name: four}"),
                    GpuSlice("b", "{name: one}, {name: two}"),
                    GpuClass(expression),
                    kAllocated};
  framework::NodeResourcesFitArgs args;
  args.scoring_strategy.type = "MostAllocated";
  args.scoring_strategy.resources = {{"e.com/gpu", 1}};
  return PluginHarness(world, MakePlugin("NodeResourcesFit", args), kPod).Scores();
}

TEST(ScoredColumns, DevicesCountWhereNodesListNone) {
  EXPECT_EQ(ScoresWith("device.driver == \"gpus\""), "25 100 0 50");
}

TEST(ScoredColumns, NothingCountsIfASelectorFails) {
  EXPECT_EQ(ScoresWith("device.attributes[\"gpus\"].n == 1"), "0 0 0 50");
}

TEST(DeviceEpoch, ChangesWithDevices) {
  EXPECT_TRUE(framework::MayBeDevices({{"cpu", 1}, {"e.com/gpu", 1}}));
  EXPECT_FALSE(framework::MayBeDevices({{"cpu", 1}, {"memory", 1}}));
  TestCluster world{NodeYaml("b"), GpuSlice("b", "{name: one}")};
  const uint64_t before = framework::DeviceEpoch(world.cluster());
  world.Add(kAllocated);
  EXPECT_NE(framework::DeviceEpoch(world.cluster()), before);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
