#include "scheduler/engine/explain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/cluster_dump.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

Explanation Explain(EngineHarness& world, const MakePod& pod) {
  auto told = world.engine().Explain(pod, Instant{});
  EXPECT_TRUE(told.has_value()) << told.error().message;
  return told.value_or(Explanation{});
}

TEST(Explain, TellsWhatWouldBecomeOfAPodThatIsNotThere) {
  EngineHarness world;
  world.Put(MakeNode("a"));
  world.Put(MakeNode("b").Cpu("1"));
  world.Put(MakeNode("c").Cordoned());
  const std::string before = Dump(world.cluster());
  const Explanation told = Explain(world, MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(Dump(world.cluster()), before);
  EXPECT_EQ(world.Queue(), "0/0/0/0");

  ASSERT_EQ(told.nodes.size(), 3u);
  EXPECT_TRUE(told.nodes.at("a").verdict.ok());
  EXPECT_EQ(told.nodes.at("b").verdict.Message(), "Insufficient cpu");
  EXPECT_EQ(told.nodes.at("b").verdict.plugin(), "NodeResourcesFit");
  EXPECT_EQ(told.nodes.at("c").verdict.Message(), "node(s) were unschedulable");
  EXPECT_EQ(told.best_nodes, Names({"a"}));
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.fit_error, "");
}

TEST(Explain, TotalsAreTheSumsOfWeightedScores) {
  EngineHarness world;
  world.Put(MakeNode("a"));
  world.Put(MakeNode("b").Taint("old", "", "PreferNoSchedule"));
  const Explanation told = Explain(world, MakePod("web").Request("cpu", "2"));
  // TaintToleration has weight 3: 100 points for "a", none for "b".
  EXPECT_EQ(told.nodes.at("a").scores.at("TaintToleration"), 300);
  EXPECT_EQ(told.nodes.at("b").scores.at("TaintToleration"), 0);
  for (const auto& [name, node] : told.nodes) {
    int64_t sum = 0;
    for (const auto& [plugin, score] : node.scores) sum += score;
    EXPECT_EQ(node.total, sum) << name;
    EXPECT_EQ(node.scores.size(), told.scoring_plugins.size()) << name;
  }
  EXPECT_EQ(told.best_nodes, Names({"a"}));
}

TEST(Explain, EquallyGoodNodesAreAllNamed) {
  EngineHarness world;
  for (const char* name : {"b", "a"}) world.Put(MakeNode(name));
  EXPECT_EQ(Explain(world, MakePod("web")).best_nodes, Names({"a", "b"}));
}

TEST(Explain, FailureHasTheWholeMessage) {
  EngineHarness world;
  world.Put(MakeNode("a").Cpu("1"));
  world.Put(MakeNode("b").Cpu("1"));
  const Explanation told = Explain(world, MakePod("web").Request("cpu", "2"));
  EXPECT_TRUE(told.best_nodes.empty());
  EXPECT_EQ(told.fit_error_before_post_filter, "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(told.fit_error, told.fit_error_before_post_filter +
                                " no new claims to deallocate, preemption: 0/2 nodes are "
                                "available: 2 Preemption is not helpful for scheduling.");
  EXPECT_EQ(told.rejected_by, Names({"NodeResourcesFit"}));
  ASSERT_TRUE(told.preemption.has_value());
  EXPECT_TRUE(told.preemption->candidates.empty());
}

TEST(Explain, RestrictionByPreFilterIsTold) {
  EngineHarness world;
  world.Put(MakeNode("a"));
  world.Put(MakeNode("b"));
  MakePod pod("web");
  pod.object.spec.affinity.emplace().node_affinity.emplace().required.emplace().terms = {
      {{}, {{"metadata.name", "In", {"b"}}}}};
  const Explanation told = Explain(world, pod);
  EXPECT_EQ(told.restricted_to, Names({"b"}));
  EXPECT_TRUE(told.nodes.at("a").excluded_by_pre_filter);
  EXPECT_FALSE(told.nodes.at("b").excluded_by_pre_filter);
  EXPECT_EQ(told.best_nodes, Names({"b"}));
}

TEST(Explain, PromisedNodeIsTheOnlyBest) {
  EngineHarness world;
  world.Put(MakeNode("better").Cpu("64"));
  world.Put(MakeNode("promised").Cpu("2"));
  const Explanation told = Explain(world, MakePod("web").Request("cpu", "1").Nominated("promised"));
  EXPECT_TRUE(told.nominated_node_fits);
  EXPECT_EQ(told.best_nodes, Names({"promised"}));
}

// The nominated node is tried first, and its result stands.
TEST(Explain, PromisedNodeSpeaksForItselfThoughPreFilterLeftItOut) {
  EngineHarness world;
  for (const char* name : {"a", "b", "promised"}) world.Put(MakeNode(name).Cpu("1"));
  MakePod pod("web");
  pod.Request("cpu", "2").Nominated("promised");
  pod.object.spec.affinity.emplace().node_affinity.emplace().required.emplace().terms = {
      {{}, {{"metadata.name", "In", {"b"}}}}};
  const Explanation told = Explain(world, pod);
  EXPECT_TRUE(told.nodes.at("promised").excluded_by_pre_filter);
  EXPECT_EQ(told.nodes.at("promised").verdict.plugin(), "NodeAffinity");
  EXPECT_EQ(told.nodes.at("promised").verdict.Message(),
            "node(s) didn't match Pod's node affinity/selector");
  EXPECT_EQ(told.fit_error_before_post_filter,
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node "
            "affinity/selector, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].");
  world.Put(pod);
  world.Schedule();
  EXPECT_EQ(world.all_decisions()[0].message, told.fit_error);
}

TEST(Explain, RejectedNodesComeWithDetails) {
  EngineHarness world;
  world.Put(MakeNode("a").Cpu("1"));
  world.Put(MakeNode("b").Taint("gpu", "", "NoSchedule"));
  world.Put(MakeNode("c"));
  const Explanation told = Explain(world, MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(told.nodes.at("a").details, "the pod requests 2 cpu, more than the node has: 1");
  EXPECT_EQ(told.nodes.at("b").details, "the pod does not tolerate gpu:NoSchedule");
  EXPECT_EQ(told.nodes.at("c").details, "");
}

TEST(Explain, RoomThatIsPromisedToOthersIsToldFromRoomThatIsTaken) {
  EngineHarness world;
  world.Put(MakeNode("a").Cpu("2"));
  world.Put(MakePod("rival").Request("cpu", "2").Priority(9).Gate("wait").Nominated("a"));
  const Explanation told = Explain(world, MakePod("web").Request("cpu", "1"));
  EXPECT_EQ(told.nodes.at("a").verdict.Message(), "Insufficient cpu");
  EXPECT_EQ(told.nodes.at("a").details,
            "the node fits only without its nominated pods: default/rival");
}

TEST(Explain, PreemptionTellsVictimsAndWhatDecided) {
  EngineHarness world;
  for (const char* name : {"a", "b"}) world.Put(MakeNode(name).Cpu("2"));
  world.Put(MakePod("low").Request("cpu", "2").Priority(1).On("b"));
  world.Put(MakePod("mid").Request("cpu", "2").Priority(3).On("a"));
  const Explanation told = Explain(world, MakePod("web").Request("cpu", "2").Priority(5));
  ASSERT_TRUE(told.preemption.has_value());
  EXPECT_EQ(told.preemption->priority, 5);
  EXPECT_EQ(told.preemption->selected, "b");
  const auto& lost = told.preemption->candidates.at("a");
  EXPECT_EQ(lost.lost_by, framework::VictimCriterion::kHighestPriority);
  ASSERT_EQ(lost.victims.size(), 1u);
  EXPECT_EQ(lost.victims[0].pod, "default/mid");
  EXPECT_EQ(lost.victims[0].priority, 3);
  EXPECT_FALSE(lost.victims[0].over_budget);
  EXPECT_EQ(told.preemption->candidates.at("b").lost_by, framework::VictimCriterion::kNone);
}

TEST(Explain, WantsAProfileThatServesThePod) {
  EngineHarness world;
  const auto told = world.engine().Explain(MakePod("web").Scheduler("nobody"), Instant{});
  ASSERT_FALSE(told.has_value());
  EXPECT_EQ(told.error().message, "no profile serves schedulerName \"nobody\" of pod default/web");
}

TEST(Explain, DecisionsCarryTheirExplanationIfWanted) {
  EngineHarness world({DefaultProfile()}, plugins::InTreeRegistry(), /*explain=*/true);
  world.Put(MakeNode("a"));
  world.Put(MakeNode("b").Cpu("64").Memory("64Gi"));
  world.Put(MakePod("web").Request("cpu", "2"));
  world.Put(MakePod("big").Request("cpu", "100"));
  world.Schedule();
  ASSERT_EQ(world.all_decisions().size(), 2u);
  const Decision& placed = world.all_decisions()[0];
  EXPECT_EQ(placed.node, "b");
  ASSERT_TRUE(placed.explanation.has_value());
  EXPECT_EQ(placed.explanation->best_nodes, Names({"b"}));
  const Decision& refused = world.all_decisions()[1];
  ASSERT_TRUE(refused.explanation.has_value());
  EXPECT_EQ(refused.explanation->fit_error, refused.message);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
