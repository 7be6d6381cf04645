#include "runtime/shadow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
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
  explicit ShadowTest(ShadowLimits limits = {}, SampledPercentages percentages = {})
      : shadow_(harness_.engine(),
                [this](const auto& event) { harness_.engine().Handle(event, clock_.Now()); },
                {.report = [this](const auto& judgement) { judgements_.push_back(judgement); },
                 .explains = [this] { return explains_; },
                 .percentages = std::move(percentages),
                 .stopwatch = clock_,
                 .limits = limits}) {
    See(MakeNode("small").Cpu("1").Memory("8Gi").Pods("10"));
    See(MakeNode("large").Cpu("8").Memory("8Gi").Pods("10"));
    clock_.Advance(limits.watch_lag);
  }

  static std::string TextOf(const Judgement& judgement) {
    const std::string words = judgement.same_words ? " in words" : "";
    return fmt::format("{} {}: {}", ToString(judgement.kind), judgement.node,
                       judgement.agrees() ? std::string(ToString(judgement.result)) + words
                                          : judgement.own_choice + ", " + judgement.difference);
  }

  // An event arrives. Returns what is judged then.
  std::vector<std::string> Take(const scheduler::engine::Event& event) {
    clock_.Advance(Duration::Millis(1));
    shadow_.Take(event, clock_.Now());
    shadow_.Advance(clock_.Now());
    return Judged();
  }
  std::vector<std::string> See(const api::Object& object) {
    return Take(scheduler::engine::ObjectPut{object});
  }
  std::vector<std::string> SeeDeleted(const api::Object& object) {
    return Take(scheduler::engine::ObjectDeleted{object});
  }
  std::vector<std::string> Pass(Duration time) {
    clock_.Advance(time);
    shadow_.Advance(clock_.Now());
    return Judged();
  }
  // What is judged if nothing else follows: "placed large: agrees", or "nothing".
  std::string Judge(const api::Object& object) {
    std::vector<std::string> judged = See(object);
    shadow_.Finish(clock_.Now());
    for (std::string& text : Judged()) judged.push_back(std::move(text));
    return judged.empty() ? "nothing" : fmt::format("{}", fmt::join(judged, "; "));
  }

  std::vector<std::string> Judged() {
    std::vector<std::string> texts;
    for (const Judgement& judgement : std::exchange(judgements_, {}))
      texts.push_back(TextOf(judgement));
    return texts;
  }

  EngineHarness harness_;
  SimClock clock_{Instant::FromUnixSeconds(1000)};
  std::vector<Judgement> judgements_;
  bool explains_ = false;
  Shadow shadow_;
};

TEST_F(ShadowTest, AgreesWithTheBestNode) {
  See(MakePod("web").Request("cpu", "500m"));
  EXPECT_EQ(Judge(MakePod("web").Request("cpu", "500m").On("large")), "placed large: agrees");
}

TEST_F(ShadowTest, NamesItsOwnChoiceAmongEqualsIfAsked) {
  See(MakeNode("other").Cpu("8").Memory("8Gi").Pods("10"));
  const auto own_choice = [this](const char* name, const char* node) {
    See(MakePod(name).Request("cpu", "500m"));
    shadow_.Take(scheduler::engine::ObjectPut{MakePod(name).Request("cpu", "500m").On(node)},
                 clock_.Now());
    shadow_.Finish(clock_.Now());
    const Judgement judgement = std::exchange(judgements_, {}).at(0);
    return judgement.agrees() ? judgement.own_choice : "differs";
  };
  EXPECT_EQ(own_choice("a", "other"), "");
  explains_ = true;
  EXPECT_EQ(own_choice("b", "large"), "large");
  EXPECT_EQ(own_choice("c", "other"), "large");
}

TEST_F(ShadowTest, SaysWhatIsAgainstANode) {
  See(MakePod("api").Request("cpu", "500m"));
  EXPECT_EQ(Judge(MakePod("api").Request("cpu", "500m").On("small")),
            "placed small: large, scores 435, 33 less than large: NodeResourcesFit -22, "
            "NodeResourcesBalancedAllocation -11");
  See(MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(Judge(MakePod("web").Request("cpu", "2").On("small")),
            "placed small: large, NodeResourcesFit: Insufficient cpu");
  See(MakePod("db"));
  EXPECT_EQ(Judge(MakePod("db").On("gone")), "placed gone: large, is not a node of this cluster");
}

// The decisions of the other scheduler apply, even those that were judged to be wrong.
TEST_F(ShadowTest, UsesTheActualPlacements) {
  See(MakePod("a").Request("cpu", "1"));
  Judge(MakePod("a").Request("cpu", "1").On("small"));
  See(MakePod("b").Request("cpu", "1"));
  EXPECT_EQ(Judge(MakePod("b").Request("cpu", "1").On("large")), "placed large: agrees");
}

TEST_F(ShadowTest, JudgesPodsThatFitNowhere) {
  See(MakePod("huge").Request("cpu", "64"));
  EXPECT_EQ(Judge(Unschedulable(MakePod("huge").Request("cpu", "64"), kNoRoom)),
            "unschedulable : agrees in words");
  EXPECT_EQ(Judge(Unschedulable(MakePod("huge").Request("cpu", "64"), "0/1 nodes")),
            "unschedulable : agrees");
  EXPECT_EQ(Judge(Unschedulable(MakePod("huge").Request("cpu", "64"), "0/1 nodes")), "nothing");
  See(MakePod("web").Request("cpu", "2"));
  EXPECT_EQ(Judge(Unschedulable(MakePod("web").Request("cpu", "2"), kNoRoom)),
            "unschedulable : large, is the only node that fits");
}

TEST_F(ShadowTest, JudgesPreemption) {
  See(MakePod("low").Request("cpu", "8").Priority(1).On("large"));
  See(MakePod("high").Request("cpu", "2").Priority(9));
  EXPECT_EQ(Judge(MakePod("high").Request("cpu", "2").Priority(9).Nominated("large")),
            "nominated large: agrees");
}

TEST_F(ShadowTest, IgnoresOtherChanges) {
  EXPECT_EQ(Judge(MakePod("seen").On("large")), "nothing");  // Bound when first seen.
  See(MakePod("web"));
  EXPECT_EQ(Judge(MakePod("web").Label("a", "b")), "nothing");
  EXPECT_EQ(Judge(MakePod("web").Uid("another").On("large")), "nothing");
  See(MakePod("other").Scheduler("other"));
  EXPECT_EQ(Judge(MakePod("other").Scheduler("other").On("large")), "nothing");
  EXPECT_EQ(Judge(MakeNode("small").Cpu("2")), "nothing");
}

// --- bursts ---

using Lines = std::vector<std::string>;

// `first` fills `large` and is tried before `second`, but its bind takes longer.
TEST_F(ShadowTest, WaitsForTheBindOfAPodThatWasTriedBefore) {
  See(MakePod("first").Request("cpu", "8"));
  See(MakePod("second").Request("cpu", "500m"));
  EXPECT_EQ(See(MakePod("second").Request("cpu", "500m").On("small")), Lines{});
  EXPECT_EQ(See(MakePod("first").Request("cpu", "8").On("large")), Lines{});
  EXPECT_EQ(shadow_.held_events(), 2);
  EXPECT_EQ(Pass(Duration::Seconds(5)),
            (Lines{"placed small: agrees_in_flight", "placed large: agrees"}));
  EXPECT_EQ(shadow_.held_events(), 0);
}

// `second` was tried after `first`, but bound before it.
TEST_F(ShadowTest, IgnoresTheBindOfAPodThatWasTriedAfter) {
  See(MakePod("first").Request("cpu", "4"));
  See(MakePod("second").Request("cpu", "8"));
  EXPECT_EQ(See(MakePod("second").Request("cpu", "8").On("large")), Lines{"placed large: agrees"});
  EXPECT_EQ(See(MakePod("first").Request("cpu", "4").On("large")),
            Lines{"placed large: agrees_in_flight"});
}

TEST_F(ShadowTest, StillDiffersIfNoOrderExplainsTheDecision) {
  See(MakePod("first").Request("cpu", "1"));
  See(MakePod("second").Request("cpu", "500m"));
  EXPECT_EQ(See(MakePod("second").Request("cpu", "500m").On("small")), Lines{});
  EXPECT_EQ(See(MakePod("first").Request("cpu", "1").On("large")), Lines{});
  const Lines judged = Pass(Duration::Seconds(5));
  ASSERT_EQ(judged.size(), 2);
  EXPECT_TRUE(judged[0].starts_with("placed small: large, scores ")) << judged[0];
  EXPECT_EQ(judged[1], "placed large: agrees");
}

// The queue's order is known: a pod created later was not tried before.
TEST_F(ShadowTest, DoesNotAssumePodsThatCameLater) {
  See(MakePod("second").Request("cpu", "500m"));
  See(MakePod("first").Request("cpu", "8"));
  EXPECT_EQ(See(MakePod("second").Request("cpu", "500m").On("small")), Lines{});
  See(MakePod("first").Request("cpu", "8").On("large"));
  const Lines judged = Pass(Duration::Seconds(5));
  ASSERT_EQ(judged.size(), 2);
  EXPECT_TRUE(judged[0].starts_with("placed small: large, scores ")) << judged[0];
}

// A deletion that kube-scheduler had not seen when it decided.
TEST_F(ShadowTest, GoesBackBeforeADeletion) {
  See(MakePod("old").Request("cpu", "8").On("large"));
  See(MakePod("web").Request("cpu", "500m"));
  SeeDeleted(MakePod("old").Request("cpu", "8").On("large"));
  EXPECT_EQ(See(MakePod("web").Request("cpu", "500m").On("small")),
            Lines{"placed small: agrees_in_flight"});
  See(MakePod("late").Request("cpu", "500m"));
  EXPECT_EQ(See(MakePod("late").Request("cpu", "500m").On("large")), Lines{"placed large: agrees"});
}

// A node that kube-scheduler had seen before Berth did.
TEST_F(ShadowTest, GoesForwardBehindANode) {
  See(MakePod("web").Request("cpu", "32"));
  EXPECT_EQ(See(MakePod("web").Request("cpu", "32").On("new")), Lines{});
  EXPECT_EQ(See(MakeNode("new").Cpu("64")), Lines{});
  EXPECT_EQ(Pass(Duration::Seconds(5)), Lines{"placed new: agrees_in_flight"});
}

// `high` had been placed elsewhere, and was deleted before that became visible.
TEST_F(ShadowTest, EndsTheNominationOfAPodThatIsDeleted) {
  See(MakePod("low").Request("cpu", "4").Priority(1).On("large"));
  See(MakePod("high").Request("cpu", "7").Priority(9));
  EXPECT_EQ(See(Unschedulable(MakePod("high").Request("cpu", "7").Priority(9).Nominated("large"),
                              "0/2 nodes are available: 2 Insufficient cpu.")),
            Lines{"nominated large: agrees"});
  SeeDeleted(MakePod("low").Request("cpu", "4").Priority(1).On("large"));
  See(MakePod("web").Request("cpu", "2").Priority(5));
  EXPECT_EQ(See(MakePod("web").Request("cpu", "2").Priority(5).On("large")), Lines{});
  SeeDeleted(MakePod("high").Request("cpu", "7").Priority(9).Nominated("large"));
  EXPECT_EQ(Pass(Duration::Seconds(5)), Lines{"placed large: agrees_in_flight"});
}

// `first` is nominated for `large` until its volumes are bound. Those that are tried meanwhile find
// it there.
TEST_F(ShadowTest, CountsAPodThatIsBeingBound) {
  See(MakePod("first").Request("cpu", "7").Priority(9));
  EXPECT_EQ(See(MakePod("first").Request("cpu", "7").Priority(9).Nominated("large")),
            Lines{"nominated large: agrees"});
  See(MakePod("second").Request("cpu", "500m"));
  EXPECT_EQ(See(MakePod("second").Request("cpu", "500m").On("small")),
            Lines{"placed small: agrees_in_flight"});
  // That was judged with the nomination.
  EXPECT_EQ(See(MakePod("first").Request("cpu", "7").Priority(9).On("large")), Lines{});
  EXPECT_EQ(shadow_.held_events(), 0);
}

// Meanwhile a preemptor was nominated for the same node.
TEST_F(ShadowTest, JudgesABindThatWasAnnouncedOnce) {
  See(MakePod("low").Request("cpu", "7").Priority(1).On("large"));
  See(MakePod("first").Request("cpu", "1").Priority(5));
  EXPECT_EQ(See(MakePod("first").Request("cpu", "1").Priority(5).Nominated("large")),
            Lines{"nominated large: agrees"});
  See(MakePod("high").Request("cpu", "7").Priority(9));
  EXPECT_EQ(See(Unschedulable(MakePod("high").Request("cpu", "7").Priority(9).Nominated("large"),
                              "0/2 nodes are available: 2 Insufficient cpu.")),
            Lines{"nominated large: agrees"});
  EXPECT_EQ(See(MakePod("first").Request("cpu", "1").Priority(5).On("large")), Lines{});
  EXPECT_EQ(Pass(Duration::Seconds(10)), Lines{});
}

// The bind that follows a nomination was decided with it, before `second` was tried, though it is
// seen after that of `other`.
TEST_F(ShadowTest, ANominationThatAnnouncesABindIsNoFailure) {
  See(MakePod("other").Request("cpu", "100m"));
  See(MakePod("first").Request("cpu", "6").Priority(9));
  See(MakePod("second").Request("cpu", "500m").Priority(5));
  EXPECT_EQ(See(MakePod("first").Request("cpu", "6").Priority(9).Nominated("large")),
            Lines{"nominated large: agrees"});
  EXPECT_EQ(See(MakePod("other").Request("cpu", "100m").On("small")),
            Lines{"placed small: agrees_in_flight"});
  EXPECT_EQ(See(MakePod("second").Request("cpu", "500m").Priority(5).On("small")),
            Lines{"placed small: agrees_in_flight"});
}

// A bind that was announced may fail.
TEST_F(ShadowTest, CountsNoPodWhoseBindHasFailed) {
  See(MakePod("first").Request("cpu", "7").Priority(9));
  See(MakePod("first").Request("cpu", "7").Priority(9).Nominated("large"));
  See(Unschedulable(MakePod("first").Request("cpu", "7").Priority(9), "binding volumes: no"));
  Pass(Duration::Seconds(5));
  See(MakePod("second").Request("cpu", "500m"));
  See(MakePod("second").Request("cpu", "500m").On("small"));
  const Lines judged = Pass(Duration::Seconds(5));
  ASSERT_EQ(judged.size(), 1);
  EXPECT_TRUE(judged[0].starts_with("placed small: large, scores ")) << judged[0];
}

// A pod that failed before keeps its condition while it is being bound.
TEST_F(ShadowTest, CountsAPodThatFailedBeforeAndIsBeingBound) {
  const auto failed = [](api::Pod pod) { return Unschedulable(std::move(pod), kNoRoom); };
  See(MakePod("old").Request("cpu", "8").On("large"));
  See(MakePod("first").Request("cpu", "7").Priority(9));
  EXPECT_EQ(See(failed(MakePod("first").Request("cpu", "7").Priority(9))),
            Lines{"unschedulable : agrees"});
  SeeDeleted(MakePod("old").Request("cpu", "8").On("large"));
  Pass(Duration::Seconds(10));
  EXPECT_EQ(See(failed(MakePod("first").Request("cpu", "7").Priority(9).Nominated("large"))),
            Lines{"nominated large: agrees"});
  See(MakePod("second").Request("cpu", "500m"));
  EXPECT_EQ(See(MakePod("second").Request("cpu", "500m").On("small")),
            Lines{"placed small: agrees_in_flight"});
}

TEST_F(ShadowTest, JudgesFailuresInABurst) {
  See(MakePod("first").Request("cpu", "8"));
  See(MakePod("second").Request("cpu", "2"));
  EXPECT_EQ(See(Unschedulable(MakePod("second").Request("cpu", "2"), kNoRoom)), Lines{});
  EXPECT_EQ(See(MakePod("first").Request("cpu", "8").On("large")), Lines{});
  EXPECT_EQ(Pass(Duration::Seconds(5)),
            (Lines{"unschedulable : agrees_in_flight", "placed large: agrees"}));
}

TEST_F(ShadowTest, JudgesNominationsInABurst) {
  See(MakePod("low").Request("cpu", "1").Priority(1).On("small"));
  See(MakePod("first").Request("cpu", "8").Priority(9));
  See(MakePod("second").Request("cpu", "1").Priority(9));
  EXPECT_EQ(See(MakePod("second").Request("cpu", "1").Priority(9).Nominated("small")), Lines{});
  EXPECT_EQ(See(MakePod("first").Request("cpu", "8").Priority(9).On("large")), Lines{});
  EXPECT_EQ(Pass(Duration::Seconds(5)),
            (Lines{"nominated small: agrees_in_flight", "placed large: agrees"}));
}

// The start of the victim on `small` was not seen yet, so that it counted as the youngest.
TEST_F(ShadowTest, GoesBackBeforeAStart) {
  const auto running = [](const char* name, const char* node, std::optional<int64_t> start) {
    api::Pod pod = MakePod(name).Request("cpu", "1").Priority(1).On(node);
    if (start) pod.status.start_time = Instant::FromUnixSeconds(*start);
    return std::make_shared<const api::Pod>(std::move(pod));
  };
  See(MakeNode("other").Cpu("1").Memory("8Gi").Pods("10"));
  See(MakePod("full").Request("cpu", "8").Priority(100).On("large"));
  See(running("on-other", "other", 500));
  See(running("on-small", "small", std::nullopt));
  Pass(Duration::Seconds(10));  // Everybody has seen that.
  See(MakePod("high").Request("cpu", "1").Priority(9));
  See(running("on-small", "small", 400));
  EXPECT_EQ(See(Unschedulable(MakePod("high").Request("cpu", "1").Priority(9).Nominated("small"),
                              "0/3 nodes are available: 3 Insufficient cpu.")),
            Lines{"nominated small: agrees_in_flight"});
}

// --- classes ---

TEST_F(ShadowTest, TellsWhereOtherNodesAreAsGood) {
  See(MakeNode("other").Cpu("8").Memory("8Gi").Pods("10"));
  See(MakePod("a").Request("cpu", "500m"));
  EXPECT_EQ(Judge(MakePod("a").Request("cpu", "500m").On("other")), "placed other: same_score");
  See(MakePod("b").Request("cpu", "500m"));
  EXPECT_EQ(Judge(MakePod("b").Request("cpu", "500m").On("large")), "placed large: agrees");
}

// Two hundred nodes, half of them better: a sample may have none of those.
class SampledShadowTest : public ShadowTest {
 protected:
  explicit SampledShadowTest(SampledPercentages percentages = {})
      : ShadowTest({}, std::move(percentages)) {
    for (int i = 0; i < 200; ++i)
      See(MakeNode(fmt::format("n{}", i)).Cpu(i % 2 == 0 ? "4" : "8").Memory("8Gi").Pods("10"));
  }
  // How the pod's placement on the node is judged.
  Judgement::Result ResultOn(const char* node) {
    See(MakePod("web").Request("cpu", "500m"));
    shadow_.Take(scheduler::engine::ObjectPut{MakePod("web").Request("cpu", "500m").On(node).ref()},
                 clock_.Now());
    shadow_.Finish(clock_.Now());
    return std::exchange(judgements_, {}).at(0).result;
  }
};
class UnsampledShadowTest : public SampledShadowTest {
 protected:
  UnsampledShadowTest() : SampledShadowTest({{"default-scheduler", 100}}) {}
};

TEST_F(SampledShadowTest, SamplingExplainsAWorseNode) {
  EXPECT_EQ(ResultOn("n0"), Judgement::Result::kSampled);
}
TEST_F(SampledShadowTest, SamplingDoesNotExplainTheWorstNode) {
  EXPECT_EQ(ResultOn("small"), Judgement::Result::kDiffers);
}
TEST_F(UnsampledShadowTest, AWorseNodeDiffersWhereNothingIsSampled) {
  EXPECT_EQ(ResultOn("n0"), Judgement::Result::kDiffers);
}

// --- pods that waited when the other scheduler started ---

TEST_F(ShadowTest, PodsThatWaitedAreJudgedInTheOrderOfTheirDecisions) {
  See(MakePod("a").Request("cpu", "6"));
  See(MakePod("b").Request("cpu", "500m"));
  Pass(Duration::Seconds(3));
  // It tried `b` first, which is bound later.
  EXPECT_EQ(See(MakePod("a").Request("cpu", "6").On("large")), Lines{"placed large: agrees"});
  EXPECT_EQ(See(MakePod("b").Request("cpu", "500m").On("large")), Lines{});
  shadow_.Finish(clock_.Now());
  EXPECT_EQ(Judged(), Lines{"placed large: agrees_in_flight"});
}

// --- limits ---

class ShadowLimitsTest : public ShadowTest {
 protected:
  ShadowLimitsTest() : ShadowTest({.held_events = 2, .past_events = 4, .states = 3}) {}
};

TEST_F(ShadowLimitsTest, HoldsBackFewEvents) {
  See(MakePod("web").Request("cpu", "500m"));
  EXPECT_EQ(See(MakePod("web").Request("cpu", "500m").On("small")), Lines{});
  EXPECT_EQ(See(MakePod("a")), Lines{});
  const Lines judged = See(MakePod("b"));
  ASSERT_EQ(judged.size(), 1);
  EXPECT_TRUE(judged[0].starts_with("placed small: large, scores ")) << judged[0];
  EXPECT_EQ(shadow_.held_events(), 0);
}

TEST_F(ShadowLimitsTest, TriesFewStates) {
  See(MakePod("web").Request("cpu", "500m"));
  for (int i = 0; i < 8; ++i)
    See(MakePod("other-" + std::to_string(i)).Request("cpu", "100m").On("large"));
  EXPECT_EQ(See(MakePod("web").Request("cpu", "500m").On("small")), Lines{});
  clock_.Advance(Duration::Seconds(5));
  shadow_.Advance(clock_.Now());
  ASSERT_EQ(judgements_.size(), 1);
  EXPECT_EQ(judgements_[0].result, Judgement::Result::kNotJudged);
  EXPECT_EQ(judgements_[0].tried, 1 + 2 * 3);  // Directly, and in two searches.
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
