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

Explanation Explain(EngineHarness& harness, const MakePod& pod) {
  auto explanation = harness.engine().Explain(pod, Instant{});
  EXPECT_TRUE(explanation.has_value()) << explanation.error().message;
  return explanation.value_or(Explanation{});
}

TEST(Explain, EvaluatesAPodThatIsNotInTheCluster) {
  EngineHarness harness;
  harness.Put(MakeNode("a"));
  harness.Put(MakeNode("b").Cpu("1"));
  harness.Put(MakeNode("c").Cordoned());
  const std::string before = Dump(harness.cluster());
  const Explanation explanation = Explain(harness, MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(Dump(harness.cluster()), before);
  EXPECT_EQ(harness.Queue(), "0/0/0/0");

  ASSERT_EQ(explanation.nodes.size(), 3u);
  EXPECT_TRUE(explanation.nodes.at("a").verdict.ok());
  EXPECT_EQ(explanation.nodes.at("b").verdict.Message(), "Insufficient cpu");
  EXPECT_EQ(explanation.nodes.at("b").verdict.plugin(), "NodeResourcesFit");
  EXPECT_EQ(explanation.nodes.at("c").verdict.Message(), "node(s) were unschedulable");
  EXPECT_EQ(explanation.best_nodes, Names({"a"}));
  EXPECT_EQ(explanation.error, "");
  EXPECT_EQ(explanation.fit_error, "");
}

TEST(Explain, TotalsAreTheSumsOfWeightedScores) {
  EngineHarness harness;
  harness.Put(MakeNode("a"));
  harness.Put(MakeNode("b").Taint("old", "", "PreferNoSchedule"));
  const Explanation explanation = Explain(harness, MakePod("web").Request("cpu", "2"));
  // TaintToleration has weight 3: 100 points for "a", none for "b".
  EXPECT_EQ(explanation.nodes.at("a").scores.at("TaintToleration"), 300);
  EXPECT_EQ(explanation.nodes.at("b").scores.at("TaintToleration"), 0);
  for (const auto& [name, node] : explanation.nodes) {
    int64_t sum = 0;
    for (const auto& [plugin, score] : node.scores) sum += score;
    EXPECT_EQ(node.total, sum) << name;
    EXPECT_EQ(node.scores.size(), explanation.scoring_plugins.size()) << name;
  }
  EXPECT_EQ(explanation.best_nodes, Names({"a"}));
}

TEST(Explain, EquallyGoodNodesAreAllNamed) {
  EngineHarness harness;
  for (const char* name : {"b", "a"}) harness.Put(MakeNode(name));
  EXPECT_EQ(Explain(harness, MakePod("web")).best_nodes, Names({"a", "b"}));
}

TEST(Explain, FailureHasTheWholeMessage) {
  EngineHarness harness;
  harness.Put(MakeNode("a").Cpu("1"));
  harness.Put(MakeNode("b").Cpu("1"));
  const Explanation explanation = Explain(harness, MakePod("web").Request("cpu", "2"));
  EXPECT_TRUE(explanation.best_nodes.empty());
  EXPECT_EQ(explanation.fit_error_before_post_filter,
            "0/2 nodes are available: 2 Insufficient cpu.");
  EXPECT_EQ(explanation.fit_error, explanation.fit_error_before_post_filter +
                                       " no new claims to deallocate, preemption: 0/2 nodes are "
                                       "available: 2 Preemption is not helpful for scheduling.");
  EXPECT_EQ(explanation.rejected_by, Names({"NodeResourcesFit"}));
  ASSERT_TRUE(explanation.preemption.has_value());
  EXPECT_TRUE(explanation.preemption->candidates.empty());
}

TEST(Explain, ReportsRestrictionByPreFilter) {
  EngineHarness harness;
  harness.Put(MakeNode("a"));
  harness.Put(MakeNode("b"));
  MakePod pod("web");
  pod.object.spec.affinity.emplace().node_affinity.emplace().required.emplace().terms = {
      {{}, {{"metadata.name", "In", {"b"}}}}};
  const Explanation explanation = Explain(harness, pod);
  EXPECT_EQ(explanation.restricted_to, Names({"b"}));
  EXPECT_TRUE(explanation.nodes.at("a").excluded_by_pre_filter);
  EXPECT_FALSE(explanation.nodes.at("b").excluded_by_pre_filter);
  EXPECT_EQ(explanation.best_nodes, Names({"b"}));
}

TEST(Explain, NominatedNodeIsTheOnlyBest) {
  EngineHarness harness;
  harness.Put(MakeNode("better").Cpu("64"));
  harness.Put(MakeNode("promised").Cpu("2"));
  const Explanation explanation =
      Explain(harness, MakePod("web").Request("cpu", "1").Nominated("promised"));
  EXPECT_TRUE(explanation.nominated_node_fits);
  EXPECT_EQ(explanation.best_nodes, Names({"promised"}));
}

// The nominated node is tried first, and its result stands.
TEST(Explain, NominatedNodeHasAVerdictThoughPreFilterExcludesIt) {
  EngineHarness harness;
  for (const char* name : {"a", "b", "promised"}) harness.Put(MakeNode(name).Cpu("1"));
  MakePod pod("web");
  pod.Request("cpu", "2").Nominated("promised");
  pod.object.spec.affinity.emplace().node_affinity.emplace().required.emplace().terms = {
      {{}, {{"metadata.name", "In", {"b"}}}}};
  const Explanation explanation = Explain(harness, pod);
  EXPECT_TRUE(explanation.nodes.at("promised").excluded_by_pre_filter);
  EXPECT_EQ(explanation.nodes.at("promised").verdict.plugin(), "NodeAffinity");
  EXPECT_EQ(explanation.nodes.at("promised").verdict.Message(),
            "node(s) didn't match Pod's node affinity/selector");
  EXPECT_EQ(explanation.fit_error_before_post_filter,
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node "
            "affinity/selector, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].");
  harness.Put(pod);
  harness.Schedule();
  EXPECT_EQ(harness.all_decisions()[0].message, explanation.fit_error);
}

TEST(Explain, RejectedNodesComeWithDetails) {
  EngineHarness harness;
  harness.Put(MakeNode("a").Cpu("1"));
  harness.Put(MakeNode("b").Taint("gpu", "", "NoSchedule"));
  harness.Put(MakeNode("c"));
  const Explanation explanation = Explain(harness, MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(explanation.nodes.at("a").details, "the pod requests 2 cpu, more than the node has: 1");
  EXPECT_EQ(explanation.nodes.at("b").details, "the pod does not tolerate gpu:NoSchedule");
  EXPECT_EQ(explanation.nodes.at("c").details, "");
}

TEST(Explain, DistinguishesNominatedFromUsedCapacity) {
  EngineHarness harness;
  harness.Put(MakeNode("a").Cpu("2"));
  harness.Put(MakePod("rival").Request("cpu", "2").Priority(9).Nominated("a"));
  const Explanation explanation = Explain(harness, MakePod("web").Request("cpu", "1"));
  EXPECT_EQ(explanation.nodes.at("a").verdict.Message(), "Insufficient cpu");
  EXPECT_EQ(explanation.nodes.at("a").details,
            "the node fits only without its nominated pods: default/rival");
}

TEST(Explain, ReportsPreemptionVictimsAndTheDecidingCriterion) {
  EngineHarness harness;
  for (const char* name : {"a", "b"}) harness.Put(MakeNode(name).Cpu("2"));
  harness.Put(MakePod("low").Request("cpu", "2").Priority(1).On("b"));
  harness.Put(MakePod("mid").Request("cpu", "2").Priority(3).On("a"));
  const Explanation explanation = Explain(harness, MakePod("web").Request("cpu", "2").Priority(5));
  ASSERT_TRUE(explanation.preemption.has_value());
  EXPECT_EQ(explanation.preemption->priority, 5);
  EXPECT_EQ(explanation.preemption->selected, "b");
  const auto& lost = explanation.preemption->candidates.at("a");
  EXPECT_EQ(lost.lost_by, framework::VictimCriterion::kHighestPriority);
  ASSERT_EQ(lost.victims.size(), 1u);
  EXPECT_EQ(lost.victims[0].pod, "default/mid");
  EXPECT_EQ(lost.victims[0].priority, 3);
  EXPECT_FALSE(lost.victims[0].over_budget);
  EXPECT_EQ(explanation.preemption->candidates.at("b").lost_by, framework::VictimCriterion::kNone);
}

TEST(Explain, FailsWithoutAProfileForThePod) {
  EngineHarness harness;
  const auto explanation = harness.engine().Explain(MakePod("web").Scheduler("nobody"), Instant{});
  ASSERT_FALSE(explanation.has_value());
  EXPECT_EQ(explanation.error().message,
            "no profile serves schedulerName \"nobody\" of pod default/web");
}

TEST(Explain, DecisionsIncludeTheirExplanationOnRequest) {
  EngineHarness harness({DefaultProfile()}, plugins::InTreeRegistry(), /*explain=*/true);
  harness.Put(MakeNode("a"));
  harness.Put(MakeNode("b").Cpu("64").Memory("64Gi"));
  harness.Put(MakePod("web").Request("cpu", "2"));
  harness.Put(MakePod("big").Request("cpu", "100"));
  harness.Schedule();
  ASSERT_EQ(harness.all_decisions().size(), 2u);
  const Decision& placed = harness.all_decisions()[0];
  EXPECT_EQ(placed.node, "b");
  ASSERT_TRUE(placed.explanation.has_value());
  EXPECT_EQ(placed.explanation->best_nodes, Names({"b"}));
  const Decision& refused = harness.all_decisions()[1];
  ASSERT_TRUE(refused.explanation.has_value());
  EXPECT_EQ(refused.explanation->fit_error, refused.message);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
