// Where pods go, and when they are tried: the transitions of the queue.
#include "queue/scheduling_queue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/queue_world.h"

namespace berth {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

Names PopAll(QueueWorld& world) {
  Names names;
  for (std::string name = world.Pop(); !name.empty(); name = world.Pop()) names.push_back(name);
  return names;
}

// --- who is tried next ---

TEST(SchedulingQueue, TriesByPriorityThenByArrival) {
  QueueWorld world;
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
  QueueWorld world({.max = {}});  // No backoff.
  world.Add(MakePod("a"));
  EXPECT_EQ(world.Pop(), "a");
  world.Pass(Duration::Millis(1));
  world.Add(MakePod("b"));
  world.Pass(Duration::Millis(1));
  world.Return("a", {});
  EXPECT_EQ(PopAll(world), Names({"b", "a"}));
}

TEST(SchedulingQueue, BackoffIsCutShortWhenNothingElseIsReady) {
  QueueWorld world;
  world.Park(MakePod("tired"), world.By("Hint"));
  world.queue->Move(NodeAdded(), world.now);
  EXPECT_EQ(world.Place("tired"), "backoff");
  world.Add(MakePod("fresh").Priority(-5));
  EXPECT_EQ(PopAll(world), Names({"fresh", "tired"}));
}

TEST(SchedulingQueue, BackoffAfterAnErrorIsNeverCutShort) {
  QueueWorld world;
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
  QueueWorld world;
  world.Park(MakePod("low"), world.By("Hint"));
  world.now = world.now + Duration::Millis(300);
  world.Park(MakePod("high").Priority(5), world.By("Hint"));
  world.queue->Move(NodeAdded(), world.now);
  EXPECT_EQ(world.Place("high"), "backoff");
  EXPECT_EQ(PopAll(world), Names({"high", "low"}));
}

TEST(SchedulingQueue, PodsWhoseBackoffEndsEarlierComeFirst) {
  QueueWorld world;
  world.Park(MakePod("low"), world.By("Hint"));
  world.Pass(Duration::Seconds(1));
  world.Park(MakePod("high").Priority(5), world.By("Hint"));
  world.queue->Move(NodeAdded(), world.now);
  EXPECT_EQ(PopAll(world), Names({"low", "high"}));
}

TEST(SchedulingQueue, PodThatIsBeingTriedIsNotTriedTwice) {
  QueueWorld world;
  world.Add(MakePod("a").Uid("same"));
  EXPECT_EQ(world.Pop(), "a");
  world.Add(MakePod("b").Uid("same"));
  EXPECT_EQ(world.Pop(), "");
  EXPECT_EQ(world.Place("b"), "nowhere");
}

TEST(SchedulingQueue, CountsAttempts) {
  QueueWorld world({.max = {}});
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
  std::function<void(QueueWorld&)> in_flight;  // What happens while the pod is tried.
  const char* unschedulable;                   // Who rejects it; "" for nobody.
  const char* pending;
  const char* want;
};

TEST(SchedulingQueue, PodComesBackToWhereItBelongs) {
  const auto nothing = [](QueueWorld&) {};
  const auto node_added = [](QueueWorld& w) { w.queue->Move(NodeAdded(), w.now); };
  const auto skip = [](const PodRecord&, const ClusterEvent&) -> Result<bool> { return false; };
  const ReturnCase cases[] = {
      {"Error", nothing, "", "", "error backoff"},
      {"ErrorThoughSomethingHappened", node_added, "", "", "error backoff"},
      {"Rejected", nothing, "Hint", "", "parked"},
      {"Pending", nothing, "", "Outside", "parked"},
      {"EventHelps", node_added, "Hint", "", "backoff"},
      {"EventDoesNotHelp",
       [&](QueueWorld& w) {
         w.hint->may_help = skip;
         w.queue->Move(NodeAdded(), w.now);
       },
       "Hint", "", "parked"},
      {"HintFails",
       [](QueueWorld& w) {
         w.hint->may_help = [](const PodRecord&, const ClusterEvent&) -> Result<bool> {
           return Fail("cannot say");
         };
         w.queue->Move(NodeAdded(), w.now);
       },
       "Hint", "", "backoff"},
      {"EventForAnotherPlugin", [](QueueWorld& w) { w.queue->Move(ClaimAdded(), w.now); }, "Hint",
       "", "parked"},
      {"EventNobodyWants", [](QueueWorld& w) { w.queue->Move(NodeRemoved(), w.now); }, "Hint", "",
       "parked"},
      {"PendingDoesNotBackOff", node_added, "", "Outside", "active"},
      {"OnlyTheRejectorIsHelped",
       [&](QueueWorld& w) {
         w.outside->may_help = skip;
         w.queue->Move(NodeAdded(), w.now);
       },
       "Hint", "Outside", "backoff"},
      {"PendingIsHelpedLater",
       [&](QueueWorld& w) {
         w.outside->may_help = skip;
         w.queue->Move(NodeAdded(), w.now);
         w.outside->may_help = nullptr;
         w.queue->Move(NodeAdded(), w.now);
       },
       "Hint", "Outside", "active"},
      {"Anything", [](QueueWorld& w) { w.queue->Move(Anything(), w.now); }, "Hint", "", "backoff"},
      {"Activated", [](QueueWorld& w) { w.queue->Activate(w.Find("a"), w.now); }, "Hint", "",
       "backoff"},
      {"AnotherIsActivated",
       [](QueueWorld& w) {
         w.Add(MakePod("other"));
         w.Pop();
         w.queue->Activate(w.Find("other"), w.now);
       },
       "Hint", "", "parked"},
      {"UpdatedSoThatItMatters", [](QueueWorld& w) { w.Update(MakePod("a").Label("x", "y")); },
       "Hint", "", "backoff"},
      {"UpdatedSoThatItDoesNotMatter",
       [](QueueWorld& w) { w.Update(MakePod("a").Tolerates("k", "v", "NoSchedule")); }, "Hint", "",
       "parked"},
      {"OthersWereFlushed", [](QueueWorld& w) { w.Pass(Duration::Seconds(330)); }, "Hint", "",
       "backoff"},
      {"GateIsClosedMeanwhile",
       [](QueueWorld& w) {
         w.CloseGate();
         w.queue->Move(NodeAdded(), w.now);
       },
       "Hint", "", "gated"},
  };
  for (const ReturnCase& c : cases) {
    SCOPED_TRACE(c.name);
    QueueWorld world;
    world.Park(MakePod("leftover"), world.By("Gate"));
    world.Add(MakePod("a"));
    world.queue->Move(NodeAdded(), world.now);  // Before it takes off.
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
  QueueWorld world;
  world.Add(MakePod("a"));
  world.Pop();
  world.queue->Add(world.Find("a"), 0, world.now);
  world.Return("a", world.By("Hint"));
  EXPECT_EQ(world.Place("a"), "active");
  EXPECT_FALSE(world.queue->InFlightNow("uid-of-a"));
}

TEST(SchedulingQueue, DoneForgetsWhatHappenedMeanwhile) {
  QueueWorld world;
  world.Add(MakePod("a"));
  world.Pop();
  world.queue->Move(NodeAdded(), world.now);
  EXPECT_EQ(world.queue->sizes().in_flight, 1u);
  EXPECT_EQ(world.queue->sizes().in_flight_events, 1u);
  world.queue->Done("uid-of-a");
  EXPECT_EQ(world.queue->sizes().in_flight, 0u);
  EXPECT_EQ(world.queue->sizes().in_flight_events, 0u);
}

TEST(SchedulingQueue, EventNobodyWantsIsNotRemembered) {
  QueueWorld world;
  world.Add(MakePod("a"));
  world.Pop();
  world.queue->Move(NodeRemoved(), world.now);
  EXPECT_EQ(world.queue->sizes().in_flight_events, 0u);
}

// --- the length of the backoff ---

TEST(SchedulingQueue, RejectionsAndErrorsLengthenTheBackoffEachInTheirWay) {
  QueueWorld world;
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
    if (!step.error) world.queue->Move(NodeAdded(), world.now);
    ASSERT_EQ(world.Place("a"), step.error ? "error backoff" : "backoff");
    EXPECT_EQ(world.queue->next_wake(),
              FullSecond(world.now) + Duration::Seconds(step.want_seconds + 1));
    world.Pass(Duration::Seconds(12));
    ASSERT_EQ(world.Place("a"), "active");
  }
}

// --- events ---

struct MoveCase {
  const char* name;
  ClusterEvent event;
  Rejectors (*why)(const QueueWorld&);
  const char* soon;   // Where the pod is then, if it would still back off,
  const char* later;  // and if it would not.
};

TEST(SchedulingQueue, EventsWakeThosePodsTheyMayHelp) {
  const auto by_hint = [](const QueueWorld& w) { return w.By("Hint"); };
  const MoveCase cases[] = {
      {"Helps", NodeAdded(), by_hint, "backoff", "active"},
      {"OfNoInterest", ClaimAdded(), by_hint, "parked", "parked"},
      {"NobodyCares", NodeRemoved(), by_hint, "parked", "parked"},
      {"Anything", Anything(), by_hint, "backoff", "active"},
      {"Pending", NodeAdded(), [](const QueueWorld& w) { return w.PendingOn("Outside"); }, "active",
       "active"},
      {"TaintsOfNewNodes",
       {.type = {Resource::kNode, kUpdateNodeTaint}, .after = MakeNode("n1").ref()},
       by_hint,
       "backoff",
       "active"},
      {"UpdateInGeneralIsNotASpecificOne",
       {.type = {Resource::kNode, kUpdate}, .after = MakeNode("n1").ref()},
       by_hint,
       "parked",
       "parked"},
  };
  for (const MoveCase& c : cases) {
    SCOPED_TRACE(c.name);
    for (const bool later : {false, true}) {
      QueueWorld world;
      world.Park(MakePod("a"), c.why(world));
      if (later) world.Pass(Duration::Seconds(2));
      world.queue->Move(c.event, world.now);
      EXPECT_EQ(world.Place("a"), later ? c.later : c.soon) << later;
    }
  }
}

TEST(SchedulingQueue, EventMayConcernSomePodsOnly) {
  QueueWorld world;
  world.Park(MakePod("low"), world.By("Hint"));
  world.Park(MakePod("high").Priority(9), world.By("Hint"));
  world.queue->Move(NodeAdded(), world.now,
                    [](const QueueEntry& entry) { return entry.order.priority <= 0; });
  EXPECT_EQ(world.Place("low"), "backoff");
  EXPECT_EQ(world.Place("high"), "parked");
}

TEST(SchedulingQueue, CopiesCostOneQuestionPerEvent) {
  QueueWorld world;
  for (int i = 0; i < 1000; ++i) world.Park(MakePod(fmt::format("p{}", i)), world.By("Hint"));
  world.hint->may_help = [](const PodRecord&, const ClusterEvent&) -> Result<bool> {
    return false;
  };
  world.queue->Move(NodeAdded(), world.now);
  EXPECT_EQ(world.hint->hint_questions, 1);
  world.hint->may_help = nullptr;
  world.queue->Move(NodeAdded(), world.now);
  EXPECT_EQ(world.hint->hint_questions, 2);
  EXPECT_EQ(world.queue->sizes().backoff, 1000u) << "all copies wake";
}

TEST(SchedulingQueue, ExtendersMayBeHelpedByAlmostAnything) {
  QueueWorld world({}, /*has_extenders=*/true);
  world.Park(MakePod("a"), {Rejectors::kExtender, 0});
  world.queue->Move({.type = {Resource::kVolumeAttachment, kDelete}}, world.now);
  EXPECT_EQ(world.Place("a"), "parked");
  world.queue->Move(NodeRemoved(), world.now);
  EXPECT_EQ(world.Place("a"), "backoff");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
