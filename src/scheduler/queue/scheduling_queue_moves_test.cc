// Gates, updates, activation and the passing of time: what changes a pod's place in the queue.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "testing/queue_harness.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

// --- gates ---

TEST(QueueGates, GatedPodWaitsUntilItsGateOpens) {
  QueueHarness harness;
  harness.CloseGate();
  harness.Add(MakePod("a"));
  EXPECT_EQ(harness.Place("a"), "gated");
  EXPECT_EQ(harness.queue->sizes().gated, 1u);
  EXPECT_EQ(harness.queue->sizes().unschedulable, 0u);
  EXPECT_EQ(harness.Pop(), "");
  EXPECT_EQ(harness.queue->Find(harness.Find("a"))->first_ready, std::nullopt);

  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "gated") << "still closed";
  harness.closed = false;
  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "active");
  EXPECT_EQ(harness.queue->sizes().gated, 0u);
}

TEST(QueueGates, ErrorGatesAsARejectionDoes) {
  QueueHarness harness;
  harness.gate->pre_enqueue = [](const model::PodRecord&) {
    return framework::Verdict::Error("cannot say");
  };
  harness.Add(MakePod("a"));
  EXPECT_EQ(harness.Place("a"), "gated");
}

TEST(QueueGates, GateIsCalledOnlyForEventsThatMayOpenIt) {
  QueueHarness harness;
  harness.CloseGate();
  for (int i = 0; i < 100; ++i) harness.Add(MakePod(fmt::format("p{}", i)));
  harness.gate->gate_questions = 0;
  for (int i = 0; i < 50; ++i)
    harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.gate->gate_questions, 0);
  EXPECT_EQ(harness.gate->hint_questions, 0);
  EXPECT_EQ(harness.hint->hint_questions, 0);

  harness.gate->may_help = [](const model::PodRecord&,
                              const framework::ClusterEvent&) -> Result<bool> { return false; };
  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  EXPECT_EQ(harness.gate->hint_questions, 1) << "one question for all copies";
  EXPECT_EQ(harness.gate->gate_questions, 0);

  harness.queue->MoveAllToActiveOrBackoffQueue(Anything(), harness.now);
  EXPECT_EQ(harness.gate->gate_questions, 100) << "after anything each gate is tried";
}

TEST(QueueGates, SecondGateMayRejectWhatTheFirstAccepts) {
  QueueHarness harness;
  harness.CloseGate();
  bool second_closed = true;
  harness.hint->pre_enqueue = [&](const model::PodRecord&) {
    return second_closed ? framework::Verdict(framework::Code::kUnschedulable, "me too")
                         : framework::Verdict();
  };
  harness.Add(MakePod("a"));
  ASSERT_EQ(harness.queue->Find(harness.Find("a"))->gate->name(), "Gate");
  harness.closed = false;
  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  ASSERT_EQ(harness.Place("a"), "gated");
  EXPECT_EQ(harness.queue->Find(harness.Find("a"))->gate->name(), "Hint");
  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "gated") << "not the second gate's event";
  second_closed = false;
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "active");
}

TEST(QueueGates, RejectedPodIsGatedWhenItWakes) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("soon"), harness.By("Hint"));
  harness.CloseGate();
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("soon"), "gated") << "on its way to the backoff";
  harness.closed = false;
  harness.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), harness.now);
  EXPECT_EQ(harness.Place("soon"), "backoff");
}

TEST(QueueGates, GatesAreNotCalledWhenABackoffEnds) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("rejected"), harness.By("Hint"));
  harness.MakeUnschedulable(MakePod("broken"), {});
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  ASSERT_EQ(harness.Place("rejected"), "backoff");
  harness.CloseGate();
  harness.Pass(Duration::Seconds(3));
  EXPECT_EQ(harness.Place("rejected"), "active");
  EXPECT_EQ(harness.Place("broken"), "active");
}

// --- in each place: activation, update, removal ---

struct PlaceCase {
  const char* place;
  std::function<void(QueueHarness&)> put;  // Puts the pod "a" there.
  const char* activated;                   // Where it is after that, ...
  const char* activated_gated;             // ... if the gate is closed before,
  const char* updated;                     // after an update that may help it,
  const char* updated_gated;               // and with a closed gate.
};

std::vector<PlaceCase> Places() {
  const auto park = [](QueueHarness& w) { w.MakeUnschedulable(MakePod("a"), w.By("Hint")); };
  return {
      {"active", [](QueueHarness& w) { w.Add(MakePod("a")); }, "active", "active", "active",
       "active"},
      {"backoff",
       [=](QueueHarness& w) {
         park(w);
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "active", "active", "backoff", "backoff"},
      {"error backoff", [](QueueHarness& w) { w.MakeUnschedulable(MakePod("a"), {}); }, "active",
       "active", "error backoff", "error backoff"},
      {"unschedulable", park, "active", "gated", "backoff", "gated"},
      {"unschedulable",
       [=](QueueHarness& w) {
         park(w);
         w.Pass(Duration::Seconds(5));
       },
       "active", "gated", "active", "gated"},
      {"nowhere",
       [](QueueHarness& w) {
         w.Add(MakePod("a"));
         w.Pop();
         w.queue->Done("uid-of-a");
       },
       "nowhere", "nowhere", "active", "gated"},
      {"nowhere",
       [](QueueHarness& w) {
         w.Add(MakePod("a"));
         w.Pop();  // In flight.
       },
       "nowhere", "nowhere", "nowhere", "nowhere"},
  };
}

TEST(QueuePlaces, ActivateMakesWaitingPodsReady) {
  for (const PlaceCase& c : Places()) {
    SCOPED_TRACE(c.place);
    for (const bool gated : {false, true}) {
      QueueHarness harness;
      c.put(harness);
      ASSERT_EQ(harness.Place("a"), c.place);
      if (gated) harness.CloseGate();
      harness.queue->Activate(harness.Find("a"), harness.now);
      EXPECT_EQ(harness.Place("a"), gated ? c.activated_gated : c.activated) << gated;
    }
  }
}

TEST(QueuePlaces, UpdateRequeuesUnschedulablePodsThatItMayHelp) {
  for (const PlaceCase& c : Places()) {
    SCOPED_TRACE(c.place);
    for (const bool gated : {false, true}) {
      QueueHarness harness;
      c.put(harness);
      if (gated) harness.CloseGate();
      harness.Update(MakePod("a").Label("x", "y"));
      EXPECT_EQ(harness.Place("a"), gated ? c.updated_gated : c.updated) << gated;
    }
  }
}

TEST(QueuePlaces, DeletedPodsAreInNoQueue) {
  for (const PlaceCase& c : Places()) {
    SCOPED_TRACE(c.place);
    QueueHarness harness;
    c.put(harness);
    const bool in_flight = harness.queue->InFlightNow("uid-of-a");
    harness.queue->Remove(harness.Find("a"));
    EXPECT_EQ(harness.Place("a"), "nowhere");
    EXPECT_EQ(harness.queue->InFlightNow("uid-of-a"), in_flight) << "until it is Done";
    EXPECT_EQ(harness.queue->next_wake(), std::nullopt);
  }
}

TEST(QueuePlaces, UpdateThatDoesNotHelpRequeuesNothing) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.Update(MakePod("a").Tolerates("k", "v", "NoSchedule"));
  EXPECT_EQ(harness.Place("a"), "unschedulable");
  EXPECT_EQ(harness.hint->hint_questions, 0);
}

TEST(QueuePlaces, UpdatedGatedPodIsActivatedWhenItsGateOpens) {
  QueueHarness harness;
  harness.gate->pre_enqueue = [](const model::PodRecord& pod) {
    return pod.object->metadata.labels.contains("ok")
               ? framework::Verdict()
               : framework::Verdict(framework::Code::kUnschedulable, "closed");
  };
  harness.Add(MakePod("a"));
  harness.Update(MakePod("a").Label("no", "1"));
  EXPECT_EQ(harness.Place("a"), "gated");
  harness.Update(MakePod("a").Label("ok", "1"));
  EXPECT_EQ(harness.Place("a"), "active");
}

TEST(QueuePlaces, NewPriorityCountsAtOnce) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  harness.Add(MakePod("b"));
  harness.Update(MakePod("b").Priority(3));
  EXPECT_EQ(harness.Pop(), "b");
}

// A changed pod is no longer a copy of the others.
TEST(QueuePlaces, HintsOfAnUpdatedUnschedulablePodAreCalledForItAlone) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.MakeUnschedulable(MakePod("b"), harness.By("Hint"));
  harness.hint->may_help = [](const model::PodRecord& pod,
                              const framework::ClusterEvent&) -> Result<bool> {
    return pod.object->metadata.labels.contains("x") && pod.object->spec.tolerations.size() == 1;
  };
  harness.Update(MakePod("b").Label("x", "1"));
  harness.Update(MakePod("b").Label("x", "1").Tolerates("k", "v", "NoSchedule"));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("a"), "unschedulable");
  EXPECT_EQ(harness.Place("b"), "backoff");
}

// --- time ---

TEST(QueueTime, PodsThatAreUnschedulableForTooLongAreRetried) {
  QueueHarness harness;  // Ticks at 1030, 1060, ...
  harness.Pass(Duration::Seconds(1));
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  // 1301 is five minutes; the tick after it is at 1330.
  EXPECT_EQ(harness.queue->next_wake(), Instant::FromUnixSeconds(1330));
  harness.Pass(Duration::Seconds(328));
  EXPECT_EQ(harness.Place("a"), "unschedulable");
  harness.Pass(Duration::Seconds(1));
  EXPECT_EQ(harness.now, Instant::FromUnixSeconds(1330));
  EXPECT_EQ(harness.Place("a"), "active");
}

TEST(QueueTime, ExactlyFiveMinutesIsNotTooLong) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  EXPECT_EQ(harness.queue->next_wake(), Instant::FromUnixSeconds(1330));
  harness.Pass(Duration::Seconds(300));
  EXPECT_EQ(harness.Place("a"), "unschedulable");
  harness.Pass(Duration::Seconds(30));
  EXPECT_EQ(harness.Place("a"), "active");
}

TEST(QueueTime, GatesAreCalledAgainAfterFiveMinutes) {
  QueueHarness harness;
  harness.CloseGate();
  harness.Add(MakePod("a"));
  harness.gate->gate_questions = 0;
  for (int64_t tick = 1; tick <= 32; ++tick) harness.Pass(Duration::Seconds(30));
  EXPECT_EQ(harness.Place("a"), "gated");
  EXPECT_EQ(harness.gate->gate_questions, 2) << "at 1330 and 1660";
  harness.closed = false;
  harness.Pass(Duration::Seconds(60));
  EXPECT_EQ(harness.Place("a"), "active");
}

TEST(QueueTime, LateDriverLosesNoTick) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("a"), harness.By("Hint"));
  harness.Pass(Duration::Seconds(10'000));
  EXPECT_EQ(harness.Place("a"), "active");
}

// Nothing happens before next_wake, and something does then, until nothing waits for time.
TEST(QueueTime, NextWakeIsWhenSomethingHappens) {
  QueueHarness harness;
  harness.Pass(Duration::Millis(1234));
  harness.MakeUnschedulable(MakePod("error"), {});
  harness.Pass(Duration::Millis(777));
  harness.MakeUnschedulable(MakePod("unschedulable"), harness.By("Hint"));
  harness.Pass(Duration::Millis(500));
  harness.MakeUnschedulable(MakePod("woken").Label("x", "y"), harness.By("Outside"));
  harness.hint->may_help = [](const model::PodRecord&,
                              const framework::ClusterEvent&) -> Result<bool> { return false; };
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  ASSERT_EQ(harness.Place("woken"), "backoff");
  const auto places = [&] {
    return harness.Place("error") + harness.Place("unschedulable") + harness.Place("woken");
  };
  std::vector<std::string> seen;
  while (const std::optional<Instant> wake = harness.queue->next_wake()) {
    ASSERT_GT(*wake, harness.now);
    const std::string before = places();
    harness.Pass(Duration{(*wake - harness.now).nanos - 1});
    EXPECT_EQ(places(), before) << "too early";
    EXPECT_EQ(harness.queue->next_wake(), wake);
    harness.Pass({1});
    EXPECT_NE(places(), before) << "nothing happened";
    ASSERT_LT(seen.size(), 10u);
    seen.push_back(places());
  }
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(places(), "activeactiveactive");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
