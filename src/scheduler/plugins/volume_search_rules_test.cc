// What the volume plugins require, as a search reads it. That these rules leave the nodes that they
// pass is checked in random clusters: tests/properties.
#include <string>
#include <vector>

#include "scheduler/framework/search_rules.h"
#include "scheduler/plugins/volume_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

std::string In(std::string_view key, std::string_view values) {
  return fmt::format(
      "nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: {}, operator: "
      "In, values: [{}]}}]}}]}}}}",
      key, values);
}

// Forty nodes in the zones "east" and "west".
class VolumeSearchRulesTest : public testing::Test {
 protected:
  VolumeSearchRulesTest() {
    for (int i = 0; i < 40; ++i) {
      const std::string labels = fmt::format("host: n{}, topology.kubernetes.io/zone: {}", i,
                                             i % 2 == 0 ? "east" : "west");
      world_.Add(NodeYaml(fmt::format("n{}", i), {.labels = labels}));
    }
  }

  void AddBound(const std::string& name, const StorageParts& volume) {
    world_.Add(VolumeYaml("pv-" + name, volume));
    world_.Add(BoundClaimYaml(name, "pv-" + name));
  }

  struct Answer {
    bool searchable = false;
    framework::Conditions required;
    framework::SearchRules rules;
  };
  Answer Describe(std::string_view plugin, const std::string& pod) {
    trial_.emplace(world_, MakePlugin(plugin), pod);
    EXPECT_TRUE(trial_->As<framework::PreFilterPlugin>().PreFilter(trial_->cycle()).verdict.ok());
    Answer answer{};
    const auto& filter = trial_->As<framework::FilterPlugin>();
    answer.required = filter.Require(trial_->cycle());
    answer.searchable = answer.rules.AddFilter(trial_->cycle(), filter);
    return answer;
  }
  Answer Describe(std::string_view plugin, std::initializer_list<const char*> claims) {
    return Describe(plugin, PodWithClaims("web", claims));
  }
  // Of a pod with so many claims, "c0", "c1" and so on.
  Answer DescribeMany(std::string_view plugin, int claims) {
    std::string volumes;
    for (int i = 0; i < claims; ++i)
      volumes += fmt::format("{{name: v{0}, persistentVolumeClaim: {{claimName: c{0}}}}}, ", i);
    return Describe(plugin, PodYaml("web", {.spec = fmt::format("volumes: [{}]", volumes)}));
  }

  TestCluster world_;
  std::optional<PluginHarness> trial_;  // What rules refer to.
};

TEST_F(VolumeSearchRulesTest, PodsWithVolumesOfAZoneShareASelection) {
  struct Case {
    const char* plugin;
    StorageParts east, west;
  };
  const std::string in_east = In("topology.kubernetes.io/zone", "east");
  const std::string in_west = In("topology.kubernetes.io/zone", "west");
  for (const auto& [plugin, east, west] :
       {Case{"VolumeBinding", {.spec = in_east}, {.spec = in_west}},
        Case{"VolumeZone",
             {.labels = "topology.kubernetes.io/zone: east"},
             {.labels = "topology.kubernetes.io/zone: west"}}}) {
    AddBound("a", east);
    AddBound("b", east);
    AddBound("c", west);
    const Answer a = Describe(plugin, {"a"});
    EXPECT_TRUE(a.searchable);
    EXPECT_TRUE(a.rules.conditions.empty()) << "nodes are evaluated one by one";
    EXPECT_FALSE(a.rules.only_rows);
    EXPECT_EQ(Describe(plugin, {"b"}).rules.key, a.rules.key);
    EXPECT_EQ(Describe(plugin, {"b", "a"}).rules.key, a.rules.key);
    EXPECT_NE(Describe(plugin, {"c"}).rules.key, a.rules.key);
    EXPECT_EQ(Describe(plugin, {"a", "c"}).rules.key, Describe(plugin, {"c", "b"}).rules.key);
  }
}

TEST_F(VolumeSearchRulesTest, AVolumeOfOneHostLeavesItsNode) {
  AddBound("local", {.spec = In("host", "n7")});
  AddBound("gone", {.spec = In("host", "n40")});
  AddBound("several", {.spec = In("host", "n3, n5, n40")});
  using Rows = std::vector<model::NodeRow>;
  EXPECT_EQ(Describe("VolumeBinding", {"local"}).rules.only_rows, Rows{world_.node("n7")});
  EXPECT_EQ(Describe("VolumeBinding", {"gone"}).rules.only_rows, Rows{});
  EXPECT_EQ(Describe("VolumeBinding", {"several"}).rules.only_rows,
            (Rows{world_.node("n3"), world_.node("n5")}));
  EXPECT_EQ(Describe("VolumeBinding", {"several"}).rules.key, "");
}

TEST_F(VolumeSearchRulesTest, AClaimWithASelectedNodeLeavesIt) {
  world_.Add(ClassYaml("slow"));
  world_.Add(ClaimYaml("data", {.annotations = "volume.kubernetes.io/selected-node: n9"}));
  EXPECT_EQ(Describe("VolumeBinding", {"data"}).rules.only_rows, std::vector{world_.node("n9")});
}

// A user who may create pods must not make keys or selections without bound.
TEST_F(VolumeSearchRulesTest, LargeConditionsAreCheckedForEachNode) {
  std::string values = "east, west";
  for (int i = 0; i < 10'000; ++i) values += fmt::format(", zone-{}", i);
  AddBound("a", {.spec = In("topology.kubernetes.io/zone", values)});
  const Answer a = Describe("VolumeBinding", {"a"});
  EXPECT_TRUE(a.searchable);
  EXPECT_EQ(a.rules.key, "");
  EXPECT_EQ(a.rules.conditions.size(), 1u);
}

TEST_F(VolumeSearchRulesTest, ManyConditionsAreCheckedForEachNode) {
  constexpr int kClaims = 300;
  for (int i = 0; i < kClaims; ++i) {
    const std::string zones = fmt::format("east, zone-{}", i);
    const std::string label = fmt::format("topology.kubernetes.io/zone: east__zone-{}", i);
    AddBound(fmt::format("c{}", i),
             {.spec = In("topology.kubernetes.io/zone", zones), .labels = label});
    world_.Add(NodeYaml(fmt::format("z{}", i),
                        {.labels = fmt::format("topology.kubernetes.io/zone: zone-{}", i)}));
  }
  for (const char* plugin : {"VolumeBinding", "VolumeZone"}) {
    const Answer many = DescribeMany(plugin, kClaims);
    EXPECT_TRUE(many.searchable);
    EXPECT_LT(many.rules.key.size(), 2'000u) << plugin;
    EXPECT_LT(many.rules.static_conditions.size(), 10u) << plugin;
    EXPECT_EQ(many.rules.conditions.size(), 1u) << plugin;
  }
}

TEST_F(VolumeSearchRulesTest, LimitsMatterWhereADriverHasOne) {
  AddBound("a", {.spec = "csi: {driver: csi.test, volumeHandle: h}"});
  EXPECT_TRUE(Describe("NodeVolumeLimits", {"a"}).required.empty());
  world_.Add(
      "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: "
      "[{name: csi.test, nodeID: n1, allocatable: {count: 1}}]}}");
  EXPECT_EQ(Describe("NodeVolumeLimits", {"a"}).rules.conditions.size(), 1u);
}

// A node whose volumes cannot be counted ends the cycle, even if the search would not look at it.
TEST_F(VolumeSearchRulesTest, EveryNodeIsEvaluatedIfOneMayFail) {
  AddBound("a", {.spec = "csi: {driver: csi.test, volumeHandle: h}"});
  world_.Add(
      "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n1}, spec: {drivers: "
      "[{name: csi.test, nodeID: n1, allocatable: {count: 1}}]}}");
  world_.Add(PodWithVolume("bad", "awsElasticBlockStore: {volumeID: 'aws://a/b'}", OnNode("n1")));
  EXPECT_FALSE(Describe("NodeVolumeLimits", {"a"}).searchable);

  AddBound("b", {.spec = "awsElasticBlockStore: {volumeID: 'aws://a/b'}"});
  EXPECT_FALSE(Describe("VolumeBinding", {"b"}).searchable);
}

TEST_F(VolumeSearchRulesTest, InlineDisksAreCheckedForEachNode) {
  const Answer disk = Describe("VolumeRestrictions", PodWithVolume("web", "iscsi: {iqn: i}"));
  EXPECT_TRUE(disk.searchable);
  EXPECT_EQ(disk.rules.conditions.size(), 1u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
