#include "runtime/shadow.h"

#include <gtest/gtest.h>

#include "testing/engine_harness.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

constexpr const char* kNoRoom =
    "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 "
    "nodes are available: 2 Preemption is not helpful for scheduling.";

api::Object Unschedulable(api::Pod pod, std::string message) {
  pod.status.conditions.push_back({.type = "PodScheduled",
                                   .status = "False",
                                   .reason = "Unschedulable",
                                   .message = std::move(message)});
  return std::make_shared<const api::Pod>(std::move(pod));
}

// Two nodes: `small` with a CPU, `large` with eight.
class ShadowTest : public testing::Test {
 protected:
  ShadowTest() {
    harness_.Put(MakeNode("small").Cpu("1").Memory("8Gi").Pods("10"));
    harness_.Put(MakeNode("large").Cpu("8").Memory("8Gi").Pods("10"));
  }

  // "placed on large: agrees"
  std::string Judge(const api::Object& now) {
    const scheduler::engine::ObjectPut event{now};
    const auto judgement = shadow_.Judge(event, harness_.now());
    harness_.Put(now);
    if (!judgement) return "nothing";
    return fmt::format("{} {}: {}", ToString(judgement->kind), judgement->node,
                       judgement->agrees ? (judgement->same_words ? "agrees in words" : "agrees")
                                         : judgement->own_choice + ", " + judgement->difference);
  }

  EngineHarness harness_;
  Shadow shadow_{harness_.engine()};
};

TEST_F(ShadowTest, AgreesWithTheBestNode) {
  harness_.Put(MakePod("web").Request("cpu", "500m"));
  EXPECT_EQ(Judge(MakePod("web").Request("cpu", "500m").On("large")), "placed large: agrees");
}

TEST_F(ShadowTest, SaysWhatIsAgainstANode) {
  harness_.Put(MakePod("api").Request("cpu", "500m"));
  EXPECT_EQ(Judge(MakePod("api").Request("cpu", "500m").On("small")),
            "placed small: large, scores 435, 33 less than large: NodeResourcesFit -22, "
            "NodeResourcesBalancedAllocation -11");
  harness_.Put(MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(Judge(MakePod("web").Request("cpu", "2").On("small")),
            "placed small: large, NodeResourcesFit: Insufficient cpu");
  harness_.Put(MakePod("db"));
  EXPECT_EQ(Judge(MakePod("db").On("gone")), "placed gone: large, is not a node of this cluster");
}

// The decisions of the other scheduler apply, even those that were judged to be wrong.
TEST_F(ShadowTest, UsesTheActualPlacements) {
  harness_.Put(MakePod("a").Request("cpu", "1"));
  Judge(MakePod("a").Request("cpu", "1").On("small"));
  harness_.Put(MakePod("b").Request("cpu", "1"));
  EXPECT_EQ(Judge(MakePod("b").Request("cpu", "1").On("large")), "placed large: agrees");
}

TEST_F(ShadowTest, JudgesPodsThatFitNowhere) {
  harness_.Put(MakePod("huge").Request("cpu", "64"));
  EXPECT_EQ(Judge(Unschedulable(MakePod("huge").Request("cpu", "64"), kNoRoom)),
            "unschedulable : agrees in words");
  EXPECT_EQ(Judge(Unschedulable(MakePod("huge").Request("cpu", "64"), "0/1 nodes")),
            "unschedulable : agrees");
  EXPECT_EQ(Judge(Unschedulable(MakePod("huge").Request("cpu", "64"), "0/1 nodes")), "nothing");
  harness_.Put(MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(Judge(Unschedulable(MakePod("web").Request("cpu", "2"), kNoRoom)),
            "unschedulable : large, is the only node that fits");
}

TEST_F(ShadowTest, JudgesPreemption) {
  harness_.Put(MakePod("low").Request("cpu", "8").Priority(1).On("large"));
  harness_.Put(MakePod("high").Request("cpu", "2").Priority(9));
  EXPECT_EQ(Judge(MakePod("high").Request("cpu", "2").Priority(9).Nominated("large")),
            "nominated large: agrees");
}

TEST_F(ShadowTest, IgnoresOtherChanges) {
  EXPECT_EQ(Judge(MakePod("seen").On("large")), "nothing");  // Bound when first seen.
  harness_.Put(MakePod("web"));
  EXPECT_EQ(Judge(MakePod("web").Label("a", "b")), "nothing");
  EXPECT_EQ(Judge(MakePod("web").Uid("another").On("large")), "nothing");
  harness_.Put(MakePod("other").Scheduler("other"));
  EXPECT_EQ(Judge(MakePod("other").Scheduler("other").On("large")), "nothing");
  EXPECT_EQ(Judge(MakeNode("small").Cpu("2")), "nothing");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
