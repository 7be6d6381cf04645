// Where pods go, and when they are tried: the transitions of the queue.
#include "scheduler/queue/scheduling_queue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "testing/queue_harness.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

Names PopAll(QueueHarness& world) {
  Names names;
  for (std::string name = world.Pop(); !name.empty(); name = world.Pop()) names.push_back(name);
  return names;
}

// --- who is tried next ---

TEST(SchedulingQueue, TriesByPriorityThenByArrival) {
  QueueHarness world;
  world.Add(MakePod("a"));
  world.Add(MakePod("b"));
  world.Pass(Duration::Seconds(1));
  world.Add(MakePod("c").Priority(-1));
  world.Add(MakePod("d").Priority(10));
  world.Add(MakePod("e"));
  world.Add(MakePod("f").Priority(10));
  EXPECT_EQ(PopAll(world), Names({"d", "f", "a", "b", "e", "c"}));
}

TEST(SchedulingQueue, PodThatComesBackIsBehindItsPeers) {
  QueueHarness world({.max = {}});  // No backoff.
  world.Add(MakePod("a"));
  EXPECT_EQ(world.Pop(), "a");
  world.Pass(Duration::Millis(1));
  world.Add(MakePod("b"));
  world.Pass(Duration::Millis(1));
  world.Return("a", {});
  EXPECT_EQ(PopAll(world), Names({"b", "a"}));
}

TEST(SchedulingQueue, BackoffIsCutShortWhenNothingElseIsReady) {
  QueueHarness world;
  world.Park(MakePod("tired"), world.By("Hint"));
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.Place("tired"), "backoff");
  world.Add(MakePod("fresh").Priority(-5));
  EXPECT_EQ(PopAll(world), Names({"fresh", "tired"}));
}

TEST(SchedulingQueue, BackoffAfterAnErrorIsNeverCutShort) {
  QueueHarness world;
  world.Park(MakePod("broken"), {});
  EXPECT_EQ(world.Place("broken"), "error backoff");
  EXPECT_FALSE(world.queue->HasReady());
  EXPECT_EQ(world.Pop(), "");
  world.Pass(Duration::Seconds(1));
  EXPECT_EQ(world.Pop(), "") << "the wait ends after the full second";
  world.Pass(Duration::Seconds(1));
  EXPECT_EQ(world.Place("broken"), "active");
  EXPECT_EQ(world.Pop(), "broken");
}

TEST(SchedulingQueue, PodsWhoseBackoffEndsInTheSameSecondComeByPriority) {
  QueueHarness world;
  world.Park(MakePod("low"), world.By("Hint"));
  world.now = world.now + Duration::Millis(300);
  world.Park(MakePod("high").Priority(5), world.By("Hint"));
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.Place("high"), "backoff");
  EXPECT_EQ(PopAll(world), Names({"high", "low"}));
}

TEST(SchedulingQueue, PodsWhoseBackoffEndsEarlierComeFirst) {
  QueueHarness world;
  world.Park(MakePod("low"), world.By("Hint"));
  world.Pass(Duration::Seconds(1));
  world.Park(MakePod("high").Priority(5), world.By("Hint"));
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(PopAll(world), Names({"low", "high"}));
}

TEST(SchedulingQueue, PodThatIsBeingTriedIsNotTriedTwice) {
  QueueHarness world;
  world.Add(MakePod("a").Uid("same"));
  EXPECT_EQ(world.Pop(), "a");
  world.Add(MakePod("b").Uid("same"));
  EXPECT_EQ(world.Pop(), "");
  EXPECT_EQ(world.Place("b"), "nowhere");
}

TEST(SchedulingQueue, CountsAttempts) {
  QueueHarness world({.max = {}});
  world.Add(MakePod("a"));
  for (uint32_t attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(world.Pop(), "a");
    EXPECT_EQ(world.popped.at("a").attempts, attempt);
    EXPECT_EQ(world.popped.at("a").first_ready, Instant::FromUnixSeconds(1000));
    world.Return("a", {});
    world.Pass(Duration::Seconds(1));
  }
}

// --- coming back ---

struct ReturnCase {
  const char* name;
  std::function<void(QueueHarness&)> in_flight;  // What happens while the pod is tried.
  const char* unschedulable;                     // The plugin that rejects it; "" for none.
  const char* pending;
  const char* want;
};

TEST(SchedulingQueue, PodComesBackToWhereItBelongs) {
  const auto nothing = [](QueueHarness&) {};
  const auto node_added = [](QueueHarness& w) {
    w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
  };
  const auto skip = [](const model::PodRecord&, const framework::ClusterEvent&) -> Result<bool> {
    return false;
  };
  const ReturnCase cases[] = {
      {"Error", nothing, "", "", "error backoff"},
      {"ErrorThoughSomethingHappened", node_added, "", "", "error backoff"},
      {"Rejected", nothing, "Hint", "", "unschedulable"},
      {"Pending", nothing, "", "Outside", "unschedulable"},
      {"EventHelps", node_added, "Hint", "", "backoff"},
      {"EventDoesNotHelp",
       [&](QueueHarness& w) {
         w.hint->may_help = skip;
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Hint", "", "unschedulable"},
      {"HintFails",
       [](QueueHarness& w) {
         w.hint->may_help = [](const model::PodRecord&,
                               const framework::ClusterEvent&) -> Result<bool> {
           return Fail("cannot say");
         };
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Hint", "", "backoff"},
      {"EventForAnotherPlugin",
       [](QueueHarness& w) { w.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), w.now); }, "Hint",
       "", "unschedulable"},
      {"EventNobodyWants",
       [](QueueHarness& w) { w.queue->MoveAllToActiveOrBackoffQueue(NodeRemoved(), w.now); },
       "Hint", "", "unschedulable"},
      {"PendingDoesNotBackOff", node_added, "", "Outside", "active"},
      {"OnlyTheRejectorIsHelped",
       [&](QueueHarness& w) {
         w.outside->may_help = skip;
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Hint", "Outside", "backoff"},
      {"PendingIsHelpedLater",
       [&](QueueHarness& w) {
         w.outside->may_help = skip;
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
         w.outside->may_help = nullptr;
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Hint", "Outside", "active"},
      {"Anything",
       [](QueueHarness& w) { w.queue->MoveAllToActiveOrBackoffQueue(Anything(), w.now); }, "Hint",
       "", "backoff"},
      {"Activated", [](QueueHarness& w) { w.queue->Activate(w.Find("a"), w.now); }, "Hint", "",
       "backoff"},
      {"AnotherIsActivated",
       [](QueueHarness& w) {
         w.Add(MakePod("other"));
         w.Pop();
         w.queue->Activate(w.Find("other"), w.now);
       },
       "Hint", "", "unschedulable"},
      {"UpdatedSoThatItMatters", [](QueueHarness& w) { w.Update(MakePod("a").Label("x", "y")); },
       "Hint", "", "backoff"},
      {"UpdatedSoThatItDoesNotMatter",
       [](QueueHarness& w) { w.Update(MakePod("a").Tolerates("k", "v", "NoSchedule")); }, "Hint",
       "", "unschedulable"},
      {"OthersWereFlushed", [](QueueHarness& w) { w.Pass(Duration::Seconds(330)); }, "Hint", "",
       "backoff"},
      {"GateIsClosedMeanwhile",
       [](QueueHarness& w) {
         w.CloseGate();
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Hint", "", "gated"},
  };
  for (const ReturnCase& c : cases) {
    SCOPED_TRACE(c.name);
    QueueHarness world;
    world.Park(MakePod("leftover"), world.By("Gate"));
    world.Add(MakePod("a"));
    world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);  // Before it takes off.
    ASSERT_EQ(world.Pop(), "a");
    c.in_flight(world);
    Rejectors why;
    if (*c.unschedulable != '\0') why.unschedulable = world.Mask(c.unschedulable);
    if (*c.pending != '\0') why.pending = world.Mask(c.pending);
    world.Return("a", why);
    EXPECT_EQ(world.Place("a"), c.want);
    EXPECT_FALSE(world.queue->InFlightNow("uid-of-a"));
  }
}

TEST(SchedulingQueue, PodThatCameBackAnotherWayIsLeftThere) {
  QueueHarness world;
  world.Add(MakePod("a"));
  world.Pop();
  world.queue->Add(world.Find("a"), 0, world.now);
  world.Return("a", world.By("Hint"));
  EXPECT_EQ(world.Place("a"), "active");
  EXPECT_FALSE(world.queue->InFlightNow("uid-of-a"));
}

TEST(SchedulingQueue, DoneForgetsWhatHappenedMeanwhile) {
  QueueHarness world;
  world.Add(MakePod("a"));
  world.Pop();
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.queue->sizes().in_flight, 1u);
  EXPECT_EQ(world.queue->sizes().in_flight_events, 1u);
  world.queue->Done("uid-of-a");
  EXPECT_EQ(world.queue->sizes().in_flight, 0u);
  EXPECT_EQ(world.queue->sizes().in_flight_events, 0u);
}

TEST(SchedulingQueue, EventNobodyWantsIsNotRemembered) {
  QueueHarness world;
  world.Add(MakePod("a"));
  world.Pop();
  world.queue->MoveAllToActiveOrBackoffQueue(NodeRemoved(), world.now);
  EXPECT_EQ(world.queue->sizes().in_flight_events, 0u);
}

// --- the length of the backoff ---

TEST(SchedulingQueue, RejectionsAndErrorsLengthenTheBackoffEachInTheirWay) {
  QueueHarness world;
  world.Add(MakePod("a"));
  struct Step {
    bool error;
    int64_t want_seconds;
  };
  // An error in a row counts from one; a rejection goes on where the rejections were.
  const Step steps[] = {{false, 1}, {false, 2}, {true, 1},  {true, 2},  {true, 4},
                        {false, 4}, {true, 1},  {false, 8}, {false, 10}};
  for (const Step& step : steps) {
    ASSERT_EQ(world.Pop(), "a");
    world.Return("a", step.error ? Rejectors{} : world.By("Hint"));
    if (!step.error) world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
    ASSERT_EQ(world.Place("a"), step.error ? "error backoff" : "backoff");
    EXPECT_EQ(world.queue->next_wake(),
              world.now.FloorToSecond() + Duration::Seconds(step.want_seconds + 1));
    world.Pass(Duration::Seconds(12));
    ASSERT_EQ(world.Place("a"), "active");
  }
}

// --- events ---

struct MoveCase {
  const char* name;
  framework::ClusterEvent event;
  Rejectors (*why)(const QueueHarness&);
  const char* soon;   // Where the pod is then, if it would still back off,
  const char* later;  // and if it would not.
};

TEST(SchedulingQueue, EventsWakeThosePodsTheyMayHelp) {
  const auto by_hint = [](const QueueHarness& w) { return w.By("Hint"); };
  const MoveCase cases[] = {
      {"Helps", NodeAdded(), by_hint, "backoff", "active"},
      {"OfNoInterest", ClaimAdded(), by_hint, "unschedulable", "unschedulable"},
      {"NobodyCares", NodeRemoved(), by_hint, "unschedulable", "unschedulable"},
      {"Anything", Anything(), by_hint, "backoff", "active"},
      {"Pending", NodeAdded(), [](const QueueHarness& w) { return w.PendingOn("Outside"); },
       "active", "active"},
      {"TaintsOfNewNodes",
       {.type = {framework::Resource::kNode, framework::kUpdateNodeTaint},
        .after = MakeNode("n1").ref()},
       by_hint,
       "backoff",
       "active"},
      {"UpdateInGeneralIsNotASpecificOne",
       {.type = {framework::Resource::kNode, framework::kUpdate}, .after = MakeNode("n1").ref()},
       by_hint,
       "unschedulable",
       "unschedulable"},
  };
  for (const MoveCase& c : cases) {
    SCOPED_TRACE(c.name);
    for (const bool later : {false, true}) {
      QueueHarness world;
      world.Park(MakePod("a"), c.why(world));
      if (later) world.Pass(Duration::Seconds(2));
      world.queue->MoveAllToActiveOrBackoffQueue(c.event, world.now);
      EXPECT_EQ(world.Place("a"), later ? c.later : c.soon) << later;
    }
  }
}

TEST(SchedulingQueue, EventMayConcernSomePodsOnly) {
  QueueHarness world;
  world.Park(MakePod("low"), world.By("Hint"));
  world.Park(MakePod("high").Priority(9), world.By("Hint"));
  world.queue->MoveAllToActiveOrBackoffQueue(
      NodeAdded(), world.now, [](const QueueEntry& entry) { return entry.order.priority <= 0; });
  EXPECT_EQ(world.Place("low"), "backoff");
  EXPECT_EQ(world.Place("high"), "unschedulable");
}

TEST(SchedulingQueue, CopiesCostOneQuestionPerEvent) {
  QueueHarness world;
  for (int i = 0; i < 1000; ++i) world.Park(MakePod(fmt::format("p{}", i)), world.By("Hint"));
  world.hint->may_help = [](const model::PodRecord&,
                            const framework::ClusterEvent&) -> Result<bool> { return false; };
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.hint->hint_questions, 1);
  world.hint->may_help = nullptr;
  world.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), world.now);
  EXPECT_EQ(world.hint->hint_questions, 2);
  EXPECT_EQ(world.queue->sizes().backoff, 1000u) << "all copies wake";
}

TEST(SchedulingQueue, ExtendersMayBeHelpedByAlmostAnything) {
  QueueHarness world({}, /*has_extenders=*/true);
  world.Park(MakePod("a"), {Rejectors::kExtender, 0});
  world.queue->MoveAllToActiveOrBackoffQueue(
      {.type = {framework::Resource::kVolumeAttachment, framework::kDelete}}, world.now);
  EXPECT_EQ(world.Place("a"), "unschedulable");
  world.queue->MoveAllToActiveOrBackoffQueue(NodeRemoved(), world.now);
  EXPECT_EQ(world.Place("a"), "backoff");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
