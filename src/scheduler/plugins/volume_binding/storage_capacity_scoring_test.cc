// The feature StorageCapacityScoring: nodes are scored by the utilization of their storage.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <any>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

using Shape = std::vector<framework::ShapePoint>;

class StorageScoreTest : public testing::Test {
 protected:
  StorageScoreTest() {
    for (const char* name : {"a", "b", "c"}) {
      const std::string label = fmt::format("host: {}", name);
      world_.Add(NodeYaml(name, {.labels = label}));
    }
    world_.Add(ClassYaml("slow"));
    world_.Add(ClassYaml("fast"));
    world_.Add(
        "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.test}, spec: "
        "{storageCapacity: true}}");
  }

  void AddStorage(const char* node, const char* storage_class, const char* fields) {
    world_.Add(fmt::format(
        "{{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {{name: "
        "'{0}-{1}', namespace: default}}, storageClassName: {1}, nodeTopology: {{matchLabels: "
        "{{host: {0}}}}}, {2}}}",
        node, storage_class, fields));
  }
  std::string Scores(std::initializer_list<const char*> claims, std::optional<Shape> shape = {}) {
    framework::VolumeBindingArgs args;
    args.shape = std::move(shape);
    PluginHarness trial(world_, MakePlugin("VolumeBinding", std::any(args)),
                        PodWithClaims("web", claims));
    const std::string feasible = trial.Filter();
    return trial.Scores(feasible == "Skip" ? "" : feasible);
  }

  TestCluster world_{model::Features{.storage_capacity_scoring = true}};
};

TEST_F(StorageScoreTest, StorageWithMoreRoomIsBetter) {
  world_.Add(ClaimYaml("data"));  // 5Gi
  AddStorage("a", "slow", "capacity: 10Gi");
  AddStorage("b", "slow", "capacity: 20Gi");
  AddStorage("c", "slow", "capacity: 5Gi");
  EXPECT_EQ(Scores({"data"}), "50 75 0");
  EXPECT_EQ(Scores({"data"}, Shape{{0, 0}, {50, 10}, {100, 0}}), "100 50 0");
}

TEST_F(StorageScoreTest, ClaimsOfAClassAddUpAndClassesAreAveraged) {
  world_.Add(ClaimYaml("one"));
  world_.Add(ClaimYaml("two"));
  world_.Add(ClaimYaml("other", {.spec = "storageClassName: fast"}));
  for (const char* node : {"a", "b", "c"}) AddStorage(node, "slow", "capacity: 20Gi");
  AddStorage("a", "fast", "capacity: 10Gi");
  AddStorage("b", "fast", "capacity: 20Gi");
  AddStorage("c", "fast", "capacity: 5Gi");
  EXPECT_EQ(Scores({"one", "two"}), "50 50 50");
  // With 50, 75 and 0 of the other class; halves are rounded up.
  EXPECT_EQ(Scores({"one", "two", "other"}), "50 63 25");
}

TEST_F(StorageScoreTest, ExistingVolumesCountBeforeNewOnes) {
  world_.Add(ClaimYaml("data"));
  world_.Add(ClaimYaml("other", {.spec = "storageClassName: fast"}));
  world_.Add(VolumeYaml("pv", {.spec = "capacity: {storage: 8Gi}, nodeAffinity: {required: "
                                       "{nodeSelectorTerms: [{matchExpressions: [{key: host, "
                                       "operator: In, values: [a]}]}]}}"}));
  for (const char* node : {"a", "b", "c"}) {
    AddStorage(node, "slow", "capacity: 20Gi");
    AddStorage(node, "fast", "capacity: 10Gi");
  }
  // 62 % of the volume on a; elsewhere new volumes of both classes.
  EXPECT_EQ(Scores({"data", "other"}), "38 63 63");
}

TEST_F(StorageScoreTest, UnknownCapacityGivesNoScore) {
  world_.Add(ClaimYaml("data", {.spec = "resources: {}"}));
  EXPECT_EQ(Scores({"data"}), "0 0 0");
}

TEST_F(StorageScoreTest, StorageThatOnlyLimitsTheSizeOfAVolumeCountsAsFull) {
  world_.Add(ClaimYaml("data"));
  AddStorage("a", "slow", "maximumVolumeSize: 10Gi");
  AddStorage("b", "slow", "capacity: 10Gi");
  EXPECT_EQ(Scores({"data"}), "0 50 -");
}

TEST_F(StorageScoreTest, BoundClaimsAreNotScored) {
  world_.Add(VolumeYaml("pv", {.phase = "Bound"}));
  world_.Add(BoundClaimYaml("data", "pv"));
  EXPECT_EQ(Scores({"data"}), "Skip");
  EXPECT_EQ(Scores({}), "Skip");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
