#include "scheduler/engine/pod_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/cluster_dump.h"
#include "testing/engine_harness.h"
#include "testing/random_cluster.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> PluginsOf(const NodeFit& fit) {
  std::vector<std::string> plugins;
  for (const framework::Verdict& verdict : fit.rejections) plugins.push_back(verdict.plugin());
  return plugins;
}

TEST(PodFitTest, HasEveryPluginThatRejectsANode) {
  EngineHarness harness;
  harness.Put(MakeNode("free"));
  harness.Put(MakeNode("bad").Cpu("1").Cordoned().Taint("a", "", "NoSchedule"));
  const auto pod = MakePod("web").Request("cpu", "2").ref();
  const PodFit fit = Require(harness.engine().Evaluate(pod, {}, harness.now()));
  ASSERT_EQ(fit.nodes.size(), 2U);
  EXPECT_TRUE(fit.nodes[0].fits);
  EXPECT_THAT(fit.nodes[0].rejections, IsEmpty());
  EXPECT_FALSE(fit.nodes[1].fits);
  EXPECT_THAT(PluginsOf(fit.nodes[1]),
              ElementsAre("NodeUnschedulable", "TaintToleration", "NodeResourcesFit"));
  const std::vector<std::string> names{"bad", "gone"};
  EXPECT_EQ(Require(harness.engine().Evaluate(pod, names, harness.now())).nodes.size(), 1U);
}

// A node that nominated pods will fill has no rejections of its own.
TEST(PodFitTest, NominatedPodsCount) {
  EngineHarness harness;
  harness.Put(MakeNode("n").Cpu("2"));
  harness.Put(MakePod("first").Request("cpu", "2").Priority(9).Nominated("n"));
  const PodFit fit = Require(
      harness.engine().Evaluate(MakePod("web").Request("cpu", "1").ref(), {}, harness.now()));
  ASSERT_EQ(fit.nodes.size(), 1U);
  EXPECT_FALSE(fit.nodes[0].fits);
  EXPECT_THAT(fit.nodes[0].rejections, IsEmpty());
}

TEST(PreviewTest, IsTheDecisionThatFollows) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ClusterGenerator generator(seed);
    const reference::Snapshot snapshot = generator.Snapshot(6);
    EngineHarness harness;
    for (const api::Object& object : ObjectsOf(snapshot)) harness.Put(object);
    harness.Schedule();
    harness.Commands();
    const auto pod = generator.WaitingPod(snapshot);
    harness.Put(pod);
    harness.engine().DropCaches();
    const std::string before = Dump(harness.cluster());
    const Decision preview = Require(harness.engine().Preview(pod, harness.now()));
    harness.engine().DropCaches();
    EXPECT_EQ(Dump(harness.cluster()), before) << "seed " << seed;
    const size_t decided = harness.all_decisions().size();
    harness.Schedule();
    for (size_t i = decided; i < harness.all_decisions().size(); ++i) {
      const Decision& decision = harness.all_decisions()[i];
      if (decision.key.name != pod->metadata.name) continue;
      EXPECT_EQ(static_cast<int>(preview.kind), static_cast<int>(decision.kind)) << "seed " << seed;
      EXPECT_EQ(preview.node, decision.node) << "seed " << seed;
      EXPECT_EQ(preview.message, decision.message) << "seed " << seed;
      EXPECT_EQ(preview.nominated_node, decision.nominated_node) << "seed " << seed;
      EXPECT_EQ(preview.victims, decision.victims) << "seed " << seed;
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
