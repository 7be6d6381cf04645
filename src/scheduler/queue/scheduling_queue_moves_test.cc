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
  QueueHarness world;
  world.CloseGate();
  world.Add(MakePod("a"));
  EXPECT_EQ(world.Place("a"), "gated");
  EXPECT_EQ(world.queue->sizes().gated, 1u);
  EXPECT_EQ(world.queue->sizes().unschedulable, 0u);
  EXPECT_EQ(world.Pop(), "");
  EXPECT_EQ(world.queue->Find(world.Find("a"))->first_ready, std::nullopt);

  world.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), world.now);
  EXPECT_EQ(world.Place("a"), "gated") << "still closed";
  world.closed = false;
  world.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), world.now);
  EXPECT_EQ(world.Place("a"), "active");
  EXPECT_EQ(world.queue->sizes().gated, 0u);
}

TEST(QueueGates, ErrorGatesAsARejectionDoes) {
  QueueHarness world;
  world.gate->pre_enqueue = [](const model::PodRecord&) {
    return framework::Verdict::Error("cannot say");
  };
  world.Add(MakePod("a"));
  EXPECT_EQ(world.Place("a"), "gated");
}

TEST(QueueGates, GateIsAskedOnlyAboutEventsThatMayOpenIt) {
  QueueHarness world;
  world.CloseGate();
  for (int i = 0; i < 100; ++i) world.Add(MakePod(fmt::format("p{}", i)));
  world.gate->gate_questions = 0;
  for (int i = 0; i < 50; ++i) world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.gate->gate_questions, 0);
  EXPECT_EQ(world.gate->hint_questions, 0);
  EXPECT_EQ(world.hint->hint_questions, 0);

  world.gate->may_help = [](const model::PodRecord&,
                            const framework::ClusterEvent&) -> Result<bool> { return false; };
  world.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), world.now);
  EXPECT_EQ(world.gate->hint_questions, 1) << "one question for all copies";
  EXPECT_EQ(world.gate->gate_questions, 0);

  world.queue->MoveAllToActiveOrBackoffQueue(Anything(), world.now);
  EXPECT_EQ(world.gate->gate_questions, 100) << "after anything each gate is tried";
}

TEST(QueueGates, SecondGateMayHoldWhatTheFirstLetsGo) {
  QueueHarness world;
  world.CloseGate();
  bool second_closed = true;
  world.hint->pre_enqueue = [&](const model::PodRecord&) {
    return second_closed ? framework::Verdict(framework::Code::kUnschedulable, "me too")
                         : framework::Verdict();
  };
  world.Add(MakePod("a"));
  ASSERT_EQ(world.queue->Find(world.Find("a"))->gate->name(), "Gate");
  world.closed = false;
  world.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), world.now);
  ASSERT_EQ(world.Place("a"), "gated");
  EXPECT_EQ(world.queue->Find(world.Find("a"))->gate->name(), "Hint");
  world.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), world.now);
  EXPECT_EQ(world.Place("a"), "gated") << "not the second gate's event";
  second_closed = false;
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.Place("a"), "active");
}

TEST(QueueGates, RejectedPodIsGatedWhenItWakes) {
  QueueHarness world;
  world.Park(MakePod("soon"), world.By("Hint"));
  world.CloseGate();
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.Place("soon"), "gated") << "on its way to the backoff";
  world.closed = false;
  world.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), world.now);
  EXPECT_EQ(world.Place("soon"), "backoff");
}

TEST(QueueGates, GatesAreNotAskedWhenABackoffEnds) {
  QueueHarness world;
  world.Park(MakePod("rejected"), world.By("Hint"));
  world.Park(MakePod("broken"), {});
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  ASSERT_EQ(world.Place("rejected"), "backoff");
  world.CloseGate();
  world.Pass(Duration::Seconds(3));
  EXPECT_EQ(world.Place("rejected"), "active");
  EXPECT_EQ(world.Place("broken"), "active");
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
  const auto park = [](QueueHarness& w) { w.Park(MakePod("a"), w.By("Hint")); };
  return {
      {"active", [](QueueHarness& w) { w.Add(MakePod("a")); }, "active", "active", "active",
       "active"},
      {"backoff",
       [=](QueueHarness& w) {
         park(w);
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "active", "active", "backoff", "backoff"},
      {"error backoff", [](QueueHarness& w) { w.Park(MakePod("a"), {}); }, "active", "active",
       "error backoff", "error backoff"},
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
      QueueHarness world;
      c.put(world);
      ASSERT_EQ(world.Place("a"), c.place);
      if (gated) world.CloseGate();
      world.queue->Activate(world.Find("a"), world.now);
      EXPECT_EQ(world.Place("a"), gated ? c.activated_gated : c.activated) << gated;
    }
  }
}

TEST(QueuePlaces, UpdateWakesParkedPodsThatItMayHelp) {
  for (const PlaceCase& c : Places()) {
    SCOPED_TRACE(c.place);
    for (const bool gated : {false, true}) {
      QueueHarness world;
      c.put(world);
      if (gated) world.CloseGate();
      world.Update(MakePod("a").Label("x", "y"));
      EXPECT_EQ(world.Place("a"), gated ? c.updated_gated : c.updated) << gated;
    }
  }
}

TEST(QueuePlaces, RemovedPodsAreNowhere) {
  for (const PlaceCase& c : Places()) {
    SCOPED_TRACE(c.place);
    QueueHarness world;
    c.put(world);
    const bool in_flight = world.queue->InFlightNow("uid-of-a");
    world.queue->Remove(world.Find("a"));
    EXPECT_EQ(world.Place("a"), "nowhere");
    EXPECT_EQ(world.queue->InFlightNow("uid-of-a"), in_flight) << "until it is Done";
    EXPECT_EQ(world.queue->next_wake(), std::nullopt);
  }
}

TEST(QueuePlaces, UpdateThatDoesNotHelpLeavesAParkedPodWhereItIs) {
  QueueHarness world;
  world.Park(MakePod("a"), world.By("Hint"));
  world.Update(MakePod("a").Tolerates("k", "v", "NoSchedule"));
  EXPECT_EQ(world.Place("a"), "unschedulable");
  EXPECT_EQ(world.hint->hint_questions, 0);
}

TEST(QueuePlaces, UpdatedGatedPodIsLetInWhenItsGateOpens) {
  QueueHarness world;
  world.gate->pre_enqueue = [](const model::PodRecord& pod) {
    return pod.object->metadata.labels.contains("ok")
               ? framework::Verdict()
               : framework::Verdict(framework::Code::kUnschedulable, "closed");
  };
  world.Add(MakePod("a"));
  world.Update(MakePod("a").Label("no", "1"));
  EXPECT_EQ(world.Place("a"), "gated");
  world.Update(MakePod("a").Label("ok", "1"));
  EXPECT_EQ(world.Place("a"), "active");
}

TEST(QueuePlaces, NewPriorityCountsAtOnce) {
  QueueHarness world;
  world.Add(MakePod("a"));
  world.Add(MakePod("b"));
  world.Update(MakePod("b").Priority(3));
  EXPECT_EQ(world.Pop(), "b");
}

// A changed pod is no longer a copy of the others.
TEST(QueuePlaces, UpdatedParkedPodIsAskedAboutOnItsOwn) {
  QueueHarness world;
  world.Park(MakePod("a"), world.By("Hint"));
  world.Park(MakePod("b"), world.By("Hint"));
  world.hint->may_help = [](const model::PodRecord& pod,
                            const framework::ClusterEvent&) -> Result<bool> {
    return pod.object->metadata.labels.contains("x") && pod.object->spec.tolerations.size() == 1;
  };
  world.Update(MakePod("b").Label("x", "1"));
  world.Update(MakePod("b").Label("x", "1").Tolerates("k", "v", "NoSchedule"));
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.Place("a"), "unschedulable");
  EXPECT_EQ(world.Place("b"), "backoff");
}

// --- time ---

TEST(QueueTime, PodsThatAreParkedForTooLongAreTriedAgain) {
  QueueHarness world;  // Ticks at 1030, 1060, ...
  world.Pass(Duration::Seconds(1));
  world.Park(MakePod("a"), world.By("Hint"));
  // 1301 is five minutes; the tick after it is at 1330.
  EXPECT_EQ(world.queue->next_wake(), Instant::FromUnixSeconds(1330));
  world.Pass(Duration::Seconds(328));
  EXPECT_EQ(world.Place("a"), "unschedulable");
  world.Pass(Duration::Seconds(1));
  EXPECT_EQ(world.now, Instant::FromUnixSeconds(1330));
  EXPECT_EQ(world.Place("a"), "active");
}

TEST(QueueTime, FiveMinutesSharpIsNotTooLong) {
  QueueHarness world;
  world.Park(MakePod("a"), world.By("Hint"));
  EXPECT_EQ(world.queue->next_wake(), Instant::FromUnixSeconds(1330));
  world.Pass(Duration::Seconds(300));
  EXPECT_EQ(world.Place("a"), "unschedulable");
  world.Pass(Duration::Seconds(30));
  EXPECT_EQ(world.Place("a"), "active");
}

TEST(QueueTime, GatedPodsAreAskedAboutAgainAfterFiveMinutesEach) {
  QueueHarness world;
  world.CloseGate();
  world.Add(MakePod("a"));
  world.gate->gate_questions = 0;
  for (int64_t tick = 1; tick <= 32; ++tick) world.Pass(Duration::Seconds(30));
  EXPECT_EQ(world.Place("a"), "gated");
  EXPECT_EQ(world.gate->gate_questions, 2) << "at 1330 and 1660";
  world.closed = false;
  world.Pass(Duration::Seconds(60));
  EXPECT_EQ(world.Place("a"), "active");
}

TEST(QueueTime, LateDriverLosesNoTick) {
  QueueHarness world;
  world.Park(MakePod("a"), world.By("Hint"));
  world.Pass(Duration::Seconds(10'000));
  EXPECT_EQ(world.Place("a"), "active");
}

// Nothing happens before next_wake, and something does then, until nothing waits for time.
TEST(QueueTime, NextWakeIsWhenSomethingHappens) {
  QueueHarness world;
  world.Pass(Duration::Millis(1234));
  world.Park(MakePod("error"), {});
  world.Pass(Duration::Millis(777));
  world.Park(MakePod("unschedulable"), world.By("Hint"));
  world.Pass(Duration::Millis(500));
  world.Park(MakePod("woken").Label("x", "y"), world.By("Outside"));
  world.hint->may_help = [](const model::PodRecord&,
                            const framework::ClusterEvent&) -> Result<bool> { return false; };
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  ASSERT_EQ(world.Place("woken"), "backoff");
  const auto places = [&] {
    return world.Place("error") + world.Place("unschedulable") + world.Place("woken");
  };
  std::vector<std::string> seen;
  while (const std::optional<Instant> wake = world.queue->next_wake()) {
    ASSERT_GT(*wake, world.now);
    const std::string before = places();
    world.Pass(Duration{(*wake - world.now).nanos - 1});
    EXPECT_EQ(places(), before) << "too early";
    EXPECT_EQ(world.queue->next_wake(), wake);
    world.Pass({1});
    EXPECT_NE(places(), before) << "nothing happened";
    ASSERT_LT(seen.size(), 10u);
    seen.push_back(places());
  }
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(places(), "activeactiveactive");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
