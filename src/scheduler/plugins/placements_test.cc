// TopologyPlacementGenerator, PodGroupPodsCount and the placement score of NodeResourcesFit.
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/framework/pod_group_plugins.h"
#include "scheduler/plugins/plugin_testing.h"
#include "scheduler/plugins/pod_group_pods_count.h"
#include "scheduler/plugins/topology_placement_generator.h"
#include "testing/object_builders.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

const api::ObjectKey kGroup{"default", "g"};

model::Features WithPlacements() {
  model::Features features;
  features.generic_workload = features.topology_aware_workload_scheduling = true;
  return features;
}

class PlacementsTest : public testing::Test {
 protected:
  void Add(const api::Object& object) { world_.Add(object); }
  // "r1: a b; r2: c", or the verdict.
  std::string Generate() {
    const framework::GeneratedPlacements generated =
        TopologyPlacementGenerator().GeneratePlacements(world_.cluster(), kGroup);
    if (!generated.verdict.ok()) return Text(generated.verdict);
    std::vector<std::string> placements;
    for (const framework::Placement& placement : generated.placements) {
      std::vector<std::string> names;
      placement.nodes.ForEach([&](size_t row) {
        names.push_back(world_.name(model::NodeRow{static_cast<uint32_t>(row)}));
      });
      placements.push_back(fmt::format("{}: {}", placement.name, fmt::join(names, " ")));
    }
    return fmt::format("{}", fmt::join(placements, "; "));
  }

  TestCluster world_{WithPlacements()};
};

TEST_F(PlacementsTest, EachValueOfTheLabelIsAPlacement) {
  Add(MakeNode("a").Label("rack", "r2").ref());
  Add(MakeNode("b").Label("rack", "r1").ref());
  Add(MakeNode("c").Label("rack", "r2").ref());
  Add(MakeNode("d").Label("rack", "").ref());
  Add(MakeNode("e").ref());
  Add(MakePodGroup("g").ref());
  EXPECT_EQ(Generate(), ": a b c d e") << "without a constraint";
  Add(MakePodGroup("g").Within("rack").ref());
  EXPECT_EQ(Generate(), ": d; r1: b; r2: a c");
  Add(MakePodGroup("g").Within("zone").ref());
  EXPECT_EQ(Generate(), "");
}

TEST_F(PlacementsTest, RunningMembersFixTheDomain) {
  Add(MakeNode("a").Label("rack", "r1").ref());
  Add(MakeNode("b").Label("rack", "r2").ref());
  Add(MakeNode("c").ref());
  Add(MakePodGroup("g").Within("rack").ref());
  Add(MakePod("p").InGroup("g").On("b").ref());
  EXPECT_EQ(Generate(), "r2: b");
  Add(MakePod("q").InGroup("g").On("a").ref());
  EXPECT_EQ(Generate(),
            "Error: cannot determine domain for already scheduled pods: more than 1 domain found "
            "for pod group: r2, r1");
  Add(MakePod("p").Uid("another").InGroup("g").On("c").ref());
  world_.cluster().Remove<api::Pod>({"default", "q"});
  EXPECT_EQ(Generate(),
            "Error: cannot determine domain for already scheduled pods: no topology domain found "
            "for pod default/p");
}

TEST_F(PlacementsTest, GroupThatIsGoneIsAnError) {
  EXPECT_EQ(Generate(), "Error: podgroup.scheduling.k8s.io \"g\" not found");
}

TEST_F(PlacementsTest, ScoresCountMembersAndUtilization) {
  Add(MakeNode("a").Cpu("4").Memory("4Gi").Label("rack", "r1").ref());
  Add(MakeNode("b").Cpu("8").Memory("8Gi").Label("rack", "r2").ref());
  Add(MakePodGroup("g").Within("rack").ref());
  Add(MakePod("running").Request("cpu", "1").Request("memory", "1Gi").On("b").ref());
  for (const char* name : {"p", "q", "r"})
    Add(MakePod(name).InGroup("g").Request("cpu", "1").Request("memory", "1Gi").ref());
  const framework::GeneratedPlacements generated =
      TopologyPlacementGenerator().GeneratePlacements(world_.cluster(), kGroup);
  const auto pod = [&](const char* name) { return &world_.cluster().pod(world_.pod(name)); };
  const std::vector<framework::PlacementAssignments> assignments = {
      {&generated.placements[0], {pod("p"), pod("q")}},
      {&generated.placements[1], {pod("p"), pod("q"), pod("r")}}};
  std::vector<int64_t> scores(2);
  EXPECT_TRUE(
      PodGroupPodsCount().ScorePlacements(world_.cluster(), kGroup, assignments, scores).ok());
  EXPECT_EQ(scores, (std::vector<int64_t>{66, 100}));

  const auto fit = MakePlugin("NodeResourcesFit", framework::NodeResourcesFitArgs());
  const auto* scorer = dynamic_cast<const framework::PlacementScorePlugin*>(fit.get());
  ASSERT_NE(scorer, nullptr);
  EXPECT_TRUE(scorer->ScorePlacements(world_.cluster(), kGroup, assignments, scores).ok());
  EXPECT_EQ(scores, (std::vector<int64_t>{50, 50})) << "2 of 4, and 3 + 1 of 8";
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
