// The feature gate SchedulerPopFromBackoffQ, on and off.
#include <gtest/gtest.h>

#include "testing/queue_harness.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

struct OffHarness : QueueHarness {
  OffHarness() : QueueHarness({}, /*has_extenders=*/false, /*pop_from_backoff=*/false) {}

  // Lets the pod fail and back off.
  void BackOff(const api::Pod& pod) {
    MakeUnschedulable(pod, By("Hint"));
    queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), now);
    ASSERT_EQ(Place(pod.metadata.name), "backoff");
  }
};

TEST(PopFromBackoff, ABackingOffPodIsTriedEarlyOnlyIfTheGateIsOn) {
  for (const bool on : {true, false}) {
    QueueHarness harness({}, /*has_extenders=*/false, on);
    harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
    harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
    ASSERT_EQ(harness.Place("a"), "backoff");
    EXPECT_EQ(harness.queue->HasReady(), on);
    EXPECT_EQ(harness.Pop(), on ? "a" : "");
  }
}

TEST(PopFromBackoff, OffABackoffLastsToTheMillisecondAndThenToTheNextTick) {
  OffHarness harness;
  harness.Pass(Duration::Millis(700));
  harness.BackOff(MakePod("a"));
  // It ends at 1.7 seconds; ticks are a second apart from the start.
  const Instant start = harness.now - Duration::Millis(700);
  EXPECT_EQ(harness.queue->next_wake(), start + Duration::Seconds(2));
  harness.Pass(Duration::Millis(1'299));
  EXPECT_EQ(harness.Place("a"), "backoff");
  harness.Pass(Duration::Millis(1));
  EXPECT_EQ(harness.Place("a"), "active");
}

TEST(PopFromBackoff, OffAnEventAfterTheEndOfABackoffNeedsNoTick) {
  OffHarness harness;
  harness.Pass(Duration::Millis(700));
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.Pass(Duration::Millis(1'001));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "active");
}

TEST(PopFromBackoff, OffPodsOfOneTickLeaveTogether) {
  OffHarness harness;
  harness.BackOff(MakePod("first"));
  harness.Pass(Duration::Millis(10));
  harness.BackOff(MakePod("second").Priority(9));
  // The tick at one second takes neither, the next one both.
  harness.Pass(Duration::Millis(990));
  EXPECT_EQ(harness.Place("first"), "backoff");
  harness.Pass(Duration::Millis(1'000));
  EXPECT_EQ(harness.Pop(), "second") << "the active queue orders by priority";
  EXPECT_EQ(harness.Pop(), "first");
}

TEST(PopFromBackoff, OffGatesAreCalledWhenABackoffEnds) {
  OffHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.CloseGate();
  harness.gate->gate_questions = 0;
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "backoff");
  EXPECT_EQ(harness.gate->gate_questions, 0);
  harness.Pass(Duration::Seconds(2));
  EXPECT_EQ(harness.Place("a"), "gated");
  EXPECT_EQ(harness.queue->sizes().gated, 1u);
  EXPECT_EQ(harness.queue->sizes().backoff, 0u);
}

TEST(PopFromBackoff, OffGatesAreCalledWhenABackingOffPodIsActivated) {
  OffHarness harness;
  harness.BackOff(MakePod("a"));
  harness.CloseGate();
  harness.queue->Activate(harness.Find("a"), harness.now);
  EXPECT_EQ(harness.Place("a"), "gated");

  OffHarness open;
  open.BackOff(MakePod("a"));
  open.queue->Activate(open.Find("a"), open.now);
  EXPECT_EQ(open.Place("a"), "active");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
