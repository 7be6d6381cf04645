// Pods that are taken out of the queue by name: the other members of a group.
#include <gtest/gtest.h>

#include "testing/queue_harness.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

TEST(PopSpecificPod, TakesThePodWhereverItWaits) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("unschedulable"), harness.By("Gate"));
  harness.MakeUnschedulable(MakePod("failed"), {});
  harness.MakeUnschedulable(MakePod("backing-off"), harness.By("Hint"));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  harness.Add(MakePod("active"));
  ASSERT_EQ(harness.Place("unschedulable"), "unschedulable");
  ASSERT_EQ(harness.Place("failed"), "error backoff");
  ASSERT_EQ(harness.Place("backing-off"), "backoff");
  for (const char* pod : {"unschedulable", "failed", "backing-off", "active"}) {
    const auto entry = harness.queue->PopSpecificPod(harness.Find(pod), harness.now);
    ASSERT_TRUE(entry.has_value()) << pod;
    EXPECT_EQ(entry->order.pod, harness.Find(pod));
    EXPECT_EQ(harness.Place(pod), "nowhere");
    EXPECT_TRUE(harness.queue->InFlightNow(entry->uid)) << "it counts as popped";
  }
  EXPECT_FALSE(harness.queue->PopSpecificPod(harness.Find("active"), harness.now)) << "in flight";
}

TEST(PopSpecificPod, LeavesGatedPods) {
  QueueHarness harness;
  harness.CloseGate();
  harness.Add(MakePod("a"));
  EXPECT_FALSE(harness.queue->PopSpecificPod(harness.Find("a"), harness.now));
  EXPECT_EQ(harness.Place("a"), "gated");
  harness.closed = false;
  EXPECT_TRUE(harness.queue->PopSpecificPod(harness.Find("a"), harness.now));
}

TEST(PopSpecificPod, PodsRememberInWhichOrderTheyBecameReady) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  harness.Add(MakePod("b"));
  const auto b = harness.queue->PopSpecificPod(harness.Find("b"), harness.now);
  const auto a = harness.queue->PopSpecificPod(harness.Find("a"), harness.now);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->first_ready, b->first_ready);
  EXPECT_LT(a->ready_sequence, b->ready_sequence);
}

TEST(CheckGates, GatesAnUnschedulablePod) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.queue->CheckGates(harness.Find("a"));
  EXPECT_EQ(harness.Place("a"), "unschedulable");
  harness.CloseGate();
  harness.queue->CheckGates(harness.Find("a"));
  EXPECT_EQ(harness.Place("a"), "gated");
  EXPECT_EQ(harness.queue->sizes().gated, 1u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
