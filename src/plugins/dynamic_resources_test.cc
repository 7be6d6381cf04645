#include "plugins/dynamic_resources.h"

#include "plugins/preemption_testing.h"

namespace berth {
namespace BERTH_TEST_FILE {

constexpr const char* kClaim = "resourceClaims: [{name: gpu, resourceClaimName: my-gpu}]";
constexpr const char* kRefusal =
    "UnschedulableAndUnresolvable: pod has resource claims, and this build of Berth does not "
    "allocate dynamic "
    "resources";

constexpr const char* kMyGpu =
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: my-gpu, namespace: "
    "default}}";

std::string PreEnqueue(const std::string& spec) {
  World world;
  world.Add(kMyGpu);
  world.Add(PodYaml("web", {.spec = spec}));
  return Text(
      DynamicResources().PreEnqueue(world.cluster(), world.cluster().pod(world.pod("web"))));
}

TEST(DynamicResources, KeepsPodsWithClaimsOutOfTheQueue) {
  EXPECT_EQ(PreEnqueue(""), "Success");
  EXPECT_EQ(PreEnqueue(kClaim), kRefusal);
  EXPECT_EQ(PreEnqueue("resourceClaims: [{name: gpu, resourceClaimName: gone}]"),
            "UnschedulableAndUnresolvable: could not find ResourceClaim \"default/gone\"");
}

TEST(DynamicResources, SkipsPodsWithoutClaims) {
  World world{NodeYaml("a"), NodeYaml("b"), kMyGpu};
  EXPECT_EQ(PluginTrial(world, MakePlugin("DynamicResources"), PodYaml("web")).Filter(), "Skip");
  EXPECT_EQ(
      PluginTrial(world, MakePlugin("DynamicResources"), PodYaml("web", {.spec = kClaim})).Filter(),
      kRefusal);
}

TEST(DynamicResources, ScoresNothing) {
  World world{NodeYaml("a"), NodeYaml("b")};
  PluginTrial trial(world, MakePlugin("DynamicResources"), PodYaml("web"));
  EXPECT_EQ(trial.Scores("01"), "- 0");
}

TEST(DynamicResources, HasNothingToReserveOrWrite) {
  World world{NodeYaml("a")};
  PluginTrial trial(world, MakePlugin("DynamicResources"), PodYaml("web"));
  const NodeRow node = world.node("a");
  EXPECT_EQ(Text(trial.As<ReservePlugin>().Reserve(trial.cycle(), node)), "Success");
  EXPECT_EQ(Text(trial.As<PreBindPlugin>().PreBindPreFlight(trial.cycle(), node).verdict), "Skip");
}

TEST(DynamicResources, HasNothingToDeallocate) {
  World world{NodeYaml("a"), PodYaml("web")};
  const auto profile = ProfileOf({"NodeResourcesFit", "DynamicResources"});
  EXPECT_EQ(PreemptionTrial(world, *profile, "web").PostFilter("DynamicResources"),
            "Unschedulable: no new claims to deallocate (kept)");
}

TEST(DynamicResources, CannotSayIfAnotherPluginEndedPreFilterFirst) {
  World world{
      NodeYaml("a"),
      PodYaml(
          "web",
          {.spec =
               "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
               "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In}]}]}}}"})};
  const auto profile = ProfileOf({"NodeAffinity", "DynamicResources"});
  EXPECT_EQ(PreemptionTrial(world, *profile, "web").PostFilter("DynamicResources"),
            "Error: not found (kept)");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
