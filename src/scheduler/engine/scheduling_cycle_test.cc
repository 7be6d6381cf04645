// Where a search begins and ends: turns of equals, percentageOfNodesToScore, and profiles that
// compare no nodes.

#include "scheduler/engine/scheduling_cycle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/engine_harness.h"
#include "testing/object_builders.h"

namespace berth::scheduler::engine {
namespace BERTH_TEST_FILE {

using Lines = std::vector<std::string>;

TEST(EnoughNodes, FollowsPercentageAndSize) {
  struct Case {
    size_t nodes;
    int32_t percentage;
    size_t want;
  };
  const Case cases[] = {{0, 50, 0},      {99, 1, 99},    {100, 1, 100},
                        {1000, 70, 700}, {1000, 5, 100}, {5000, 100, 5000}};
  for (const Case& c : cases) {
    EXPECT_EQ(EnoughNodes(c.nodes, c.percentage), c.want) << c.nodes << " at " << c.percentage;
  }
}

// 200 equal nodes; a search is over after 100.
EngineOptions Half() {
  EngineOptions options;
  options.profiles = {DefaultProfile()};
  options.profiles[0].percentage_of_nodes_to_score = 50;
  return options;
}

TEST(PartialSearch, BeginsWhereTheLastOneEnded) {
  EngineHarness harness(Half());
  for (int i = 0; i < 200; ++i) harness.Put(MakeNode(fmt::format("n{:03}", i)));
  for (const char* name : {"a", "b", "c"}) {
    harness.Put(MakePod(name).Request("cpu", "1"));
    harness.Schedule();
  }
  // The third search starts over, and n000 has a pod by now.
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n000", "b -> n100", "c -> n001"}));
}

TEST(PartialSearch, NodesThatDoNotFitCountAsLookedAt) {
  EngineHarness harness(Half());
  for (int i = 0; i < 200; ++i) {
    harness.Put(MakeNode(fmt::format("n{:03}", i)).Cpu(i < 50 ? "0" : "4"));
  }
  for (const char* name : {"a", "b"}) {
    harness.Put(MakePod(name).Request("cpu", "1"));
    harness.Schedule();
  }
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n050", "b -> n150"}));
}

TEST(PartialSearch, EveryNodeIsLookedAtBeforeItIsGivenUp) {
  EngineHarness harness(Half());
  for (int i = 0; i < 200; ++i) {
    harness.Put(MakeNode(fmt::format("n{:03}", i)).Cpu(i == 199 ? "4" : "0"));
  }
  harness.Put(MakePod("a").Request("cpu", "1"));
  harness.Schedule();
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n199"}));
}

// Nodes so large that a pod without requests does not change their scores.
void PutHugeNodes(EngineHarness& harness, int count) {
  for (int i = 0; i < count; ++i)
    harness.Put(MakeNode(fmt::format("n{}", i)).Cpu("1000").Memory("1Ti"));
}

void ScheduleOne(EngineHarness& harness, const MakePod& pod) {
  harness.Put(pod);
  harness.Schedule();
}

TEST(Equals, TakeTurnsInNodeOrder) {
  EngineHarness harness;
  PutHugeNodes(harness, 3);
  for (const char* name : {"a", "b", "c", "d"}) ScheduleOne(harness, MakePod(name));
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n0", "b -> n1", "c -> n2", "d -> n0"}));
}

TEST(Equals, PodsOfOtherClassesTakeTheNextTurn) {
  EngineHarness harness;
  PutHugeNodes(harness, 3);
  ScheduleOne(harness, MakePod("a"));
  ScheduleOne(harness, MakePod("b").Label("app", "db"));
  ScheduleOne(harness, MakePod("c").Label("app", "web"));
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n0", "b -> n1", "c -> n2"}));
}

TEST(Equals, OfAllNodesThatFitTheNextIsChosen) {
  EngineHarness harness;
  PutHugeNodes(harness, 3);
  harness.Put(MakeNode("n1").Cordoned());
  for (const char* name : {"a", "b", "c"}) ScheduleOne(harness, MakePod(name));
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n0", "b -> n2", "c -> n0"}));
}

TEST(Equals, TheTurnSurvivesRemovedNodes) {
  EngineHarness harness;
  PutHugeNodes(harness, 3);
  for (const char* name : {"a", "b", "c"}) ScheduleOne(harness, MakePod(name));
  harness.Remove(MakeNode("n1"));
  harness.Remove(MakeNode("n2"));
  ScheduleOne(harness, MakePod("d"));
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n0", "b -> n1", "c -> n2", "d -> n0"}));
}

// kube-scheduler stops at the first node that fits, and goes on behind it.
TEST(WithoutScores, TheFirstNodeThatFitsIsChosenFromWhereTheLastSearchEnded) {
  EngineOptions options;
  options.profiles = {DefaultProfile()};
  options.profiles[0].points[static_cast<size_t>(framework::ExtensionPoint::kScore)].disabled = {
      "*"};
  EngineHarness harness(options);
  for (int i = 0; i < 4; ++i) harness.Put(MakeNode(fmt::format("n{}", i)).Cpu(i == 1 ? "0" : "4"));
  for (const char* name : {"a", "b", "c", "d"})
    ScheduleOne(harness, MakePod(name).Request("cpu", "1m"));
  EXPECT_EQ(harness.Decisions(), Lines({"a -> n0", "b -> n2", "c -> n3", "d -> n0"}));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::engine
