// What the queue knows about why a pod is tried.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "testing/queue_harness.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

// Pops the pod: "NodeAdd Node/n1 after 5 s", counted from the start.
std::string WokenBy(QueueHarness& harness, const std::string& pod) {
  if (harness.Pop() != pod) return "another pod";
  const Wake& wake = harness.popped[pod].woken_by;
  return fmt::format("{}{}{} after {} s", wake.event.Text(), wake.object == nullptr ? "" : " ",
                     wake.object == nullptr ? "" : *wake.object,
                     (wake.time - Instant::FromUnixSeconds(1000)).seconds());
}

TEST(WakeTest, ANewPodIsWokenByItsCreation) {
  QueueHarness harness;
  harness.Pass(Duration::Seconds(2));
  harness.Add(MakePod("a"));
  EXPECT_EQ(WokenBy(harness, "a"), "UnschedulablePodAdd after 2 s");
}

TEST(WakeTest, TheEventCountsThoughThePodBacksOff) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "backoff");
  harness.Pass(Duration::Seconds(5));
  EXPECT_EQ(harness.Place("a"), "active");
  EXPECT_EQ(WokenBy(harness, "a"), "NodeAdd Node/n1 after 0 s");
}

TEST(WakeTest, AnEventDuringTheAttemptCounts) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  harness.Pop();
  harness.Pass(Duration::Seconds(1));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  harness.Return("a", harness.By("Hint"));
  EXPECT_EQ(WokenBy(harness, "a"), "NodeAdd Node/n1 after 1 s");
}

TEST(WakeTest, AfterAnErrorTheBackoffCounts) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), {});
  harness.Pass(Duration::Seconds(3));
  EXPECT_EQ(WokenBy(harness, "a"), "BackoffComplete after 3 s");
}

TEST(WakeTest, AGatedPodIsWokenByWhatOpensItsGate) {
  QueueHarness harness;
  harness.CloseGate();
  harness.Add(MakePod("a"));
  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  harness.closed = false;
  harness.Pass(Duration::Seconds(4));
  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  EXPECT_EQ(WokenBy(harness, "a"),
            "PersistentVolumeClaimAdd PersistentVolumeClaim/default/c after 4 s");
}

TEST(WakeTest, ALongWaitEndsByItself) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.Pass(Duration::Seconds(400));
  EXPECT_EQ(WokenBy(harness, "a"), "UnschedulableTimeout after 400 s");
}

TEST(WakeTest, AnotherPluginMayActivateThePod) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.queue->Activate(harness.Find("a"), harness.now);
  EXPECT_EQ(WokenBy(harness, "a"), "ForceActivate after 0 s");
}

TEST(WakeTest, EachAttemptHasItsOwn) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  harness.Pop();
  harness.Return("a", {});
  harness.Pass(Duration::Seconds(20));
  EXPECT_EQ(WokenBy(harness, "a"), "BackoffComplete after 20 s");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
