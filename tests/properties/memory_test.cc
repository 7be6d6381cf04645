// What the engine holds follows what the cluster consists of now: strings, columns, topology keys,
// classes and counters go with their last user, whatever passed through before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scheduler/model/cluster.h"
#include "simulation/churn.h"
#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth {
namespace BERTH_TEST_FILE {

std::string Text(const simulation::Churn::Counts& counts) {
  return simulation::Churn::ToString(counts);
}

TEST(MemoryProperty, EndsWhereItBegan) {
  simulation::Churn churn({.nodes = 20});
  const simulation::Churn::Counts before = churn.counts();
  for (int i = 0; i < 2000; ++i) churn.Step();
  EXPECT_GT(churn.bound(), 900u);
  churn.Clear();
  EXPECT_EQ(Text(churn.counts()), Text(before));
}

// Without being asked to drop anything, and at any time.
TEST(MemoryProperty, IsBoundedWhilePodsComeAndGo) {
  simulation::Churn churn({.nodes = 20});
  for (int i = 0; i < 3000; ++i) {
    churn.Step();
    if (i % 100 != 0) continue;
    const simulation::Churn::Counts counts = churn.counts();
    SCOPED_TRACE(fmt::format("after {} pods: {}", i, Text(counts)));
    // Up to 1,024 classes are retained without pods, each with about 30 strings of its own.
    ASSERT_LE(counts.pod_classes, 1024u + 110);
    ASSERT_LE(counts.symbols, 1200u * 40);
    ASSERT_LE(counts.scalar_names, 1200u * 3);
    ASSERT_LE(counts.topology_keys, 1200u * 4);
    ASSERT_LE(counts.counters, 1200u * 5);
    ASSERT_LE(counts.affinity_terms, 1200u);
    // These follow the objects themselves.
    ASSERT_LE(counts.scalar_columns, 50u);
    ASSERT_LE(counts.pod_labels, 110u);
    ASSERT_LE(counts.taint_sets, 20u);
  }
}

// An id that is reused too early shows as a decision that differs from the reference
// implementation's, which compares strings.
TEST(MemoryProperty, ReusedIdsNeverChangeADecision) {
  simulation::Churn churn({.nodes = 6, .alive = 15, .paranoid = true});
  for (int i = 0; i < 400; ++i) churn.Step();
  EXPECT_GT(churn.bound(), 100u);
}

// Pods of a megabyte each, that request tens of thousands of resources, pending and running: at the
// start, when a node lists the resources later, and gone.
TEST(MemoryProperty, PodsThatRequestManyResourcesCostThemselvesAlone) {
  constexpr int kPods = 10, kResources = 20'000;
  EngineHarness harness(scheduler::engine::EngineOptions{.profiles = {DefaultProfile()}});
  for (int i = 0; i < kPods; ++i) {
    MakePod pod(fmt::format("p{}", i));
    for (int j = 0; j < kResources; ++j)
      pod.Request(fmt::format("resources.example.com/{}-{}", i, j), "1");
    harness.Put(i < kPods - 2 ? pod.On("n1").ref() : pod.ref());
  }
  for (int i = 0; i < 50; ++i) harness.Put(MakeNode(fmt::format("n{}", i)).ref());
  const scheduler::model::Cluster& cluster = harness.cluster();
  EXPECT_EQ(harness.Schedule(), 2u);
  const std::vector<std::string> decisions = harness.Decisions();
  ASSERT_EQ(decisions.size(), 2u);
  EXPECT_LE(decisions[0].size(), 10'000u);
  EXPECT_TRUE(cluster.nodes().columns().scalars.empty());
  EXPECT_EQ(cluster.scalars().size(), size_t{kPods} * kResources);

  harness.Put(MakeNode("n1").Offer("resources.example.com/0-7", "3").ref());
  const scheduler::model::NodeColumns& columns = cluster.nodes().columns();
  ASSERT_EQ(columns.listed.size(), 1u);
  const scheduler::model::NodeRow row = cluster.nodes().Find(cluster.symbols().Find("n1"));
  EXPECT_EQ(columns.scalar(columns.listed[0])->requested[row.index()], 1);
  harness.Put(MakeNode("n1").ref());

  for (int i = 0; i < kPods; ++i) {
    harness.Remove(cluster.pod(harness.Find(fmt::format("p{}", i))).object);
  }
  // At most the newest ones are retained, as empty classes.
  EXPECT_LE(cluster.scalars().size(), size_t{kPods} * kResources / 2);
  harness.engine().DropCaches();
  EXPECT_EQ(cluster.scalars().size(), 0u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
