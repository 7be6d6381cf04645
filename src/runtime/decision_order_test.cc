#include "runtime/decision_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "testing/engine_harness.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

// Pods are seen waiting and bound; the last bind is the decision that others are compared with.
class DecisionOrderTest : public testing::Test {
 protected:
  DecisionOrderTest() { See(MakeNode("node").Cpu("64").Pods("110")); }

  void See(const api::Object& object) {
    timeline_.Add(scheduler::engine::ObjectPut{object}, now_, true);
  }
  void Wait(const char* name, int32_t priority = 0) { See(MakePod(name).Priority(priority)); }
  void FailThenWait(const char* name) {
    Wait(name);
    api::Pod failed = MakePod(name);
    failed.status.conditions.push_back({.type = "PodScheduled",
                                        .status = "False",
                                        .reason = "Unschedulable",
                                        .message = "0/1 nodes are available"});
    See(std::make_shared<const api::Pod>(std::move(failed)));
  }
  void Bind(const char* name, int32_t priority = 0) {
    See(MakePod(name).Priority(priority).On("node"));
  }

  // What is known about the others, as "a before, b unknown"; `pod` is bound and all before is
  // past.
  std::string Around(const char* pod, int32_t priority = 0, std::vector<const char*> later = {}) {
    const auto pass = [this](const scheduler::engine::Event& event) {
      harness_.engine().Handle(event, now_);
    };
    while (!timeline_.held().empty()) timeline_.Pass(pass);
    Bind(pod, priority);
    for (const char* name : later) Bind(name);
    const DecisionOrder order(timeline_, 64);
    std::vector<std::string> texts;
    for (const OtherDecision& other : order.others()) {
      const char* made = other.made == OtherDecision::Made::kBefore  ? "before"
                         : other.made == OtherDecision::Made::kAfter ? "after"
                                                                     : "unknown";
      texts.push_back(fmt::format("{} {}", other.decision->before->metadata.name, made));
    }
    return fmt::format("{}; likely {} of {}", fmt::join(texts, ", "), order.likely(),
                       order.unknown().size());
  }

  EngineHarness harness_;
  const Instant now_ = Instant::FromUnixSeconds(1000);
  ShadowTimeline timeline_{harness_.engine(), 100, Duration::Seconds(5)};
};

TEST_F(DecisionOrderTest, EqualPodsAreTriedInTheOrderOfCreation) {
  for (const char* name : {"a", "b", "c", "d"}) Wait(name);
  Bind("a");
  Bind("d");
  EXPECT_EQ(Around("c", 0, {"b"}), "a before, d after, b before; likely 0 of 0");
}

TEST_F(DecisionOrderTest, HigherPrioritiesAreTriedFirst) {
  Wait("low-early", 1);
  Wait("pod", 5);
  Wait("low-late", 1);
  Wait("high", 9);
  Bind("low-early", 1);
  Bind("high", 9);
  Bind("low-late", 1);
  EXPECT_EQ(Around("pod", 5), "low-early unknown, high before, low-late after; likely 1 of 1");
}

TEST_F(DecisionOrderTest, PodsThatFailedBeforeAreTriedAtAnyTime) {
  FailThenWait("failed");
  Wait("pod");
  Bind("failed");
  EXPECT_EQ(Around("pod"), "failed unknown; likely 1 of 1");
}

TEST_F(DecisionOrderTest, NothingIsKnownAboutAPodThatFailedBefore) {
  Wait("early");
  FailThenWait("pod");
  Wait("late");
  Bind("late");
  EXPECT_EQ(Around("pod"), "late unknown; likely 1 of 1");
}

// `early` is seen last, but was surely tried before `late`, which is seen before `pod`.
TEST_F(DecisionOrderTest, WhatWasMadeBeforeAVisibleDecisionWasLikelyMadeBefore) {
  Wait("early");
  FailThenWait("pod");
  Wait("late");
  Bind("late");
  EXPECT_EQ(Around("pod", 0, {"early"}), "late unknown, early unknown; likely 2 of 2");
}

TEST_F(DecisionOrderTest, WhatWasSeenBeforeThePodExistedIsNotInDoubt) {
  Wait("a");
  Bind("a");
  Wait("pod");
  EXPECT_EQ(Around("pod"), "; likely 0 of 0");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
