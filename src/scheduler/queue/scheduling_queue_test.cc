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

Names PopAll(QueueHarness& harness) {
  Names names;
  for (std::string name = harness.Pop(); !name.empty(); name = harness.Pop()) names.push_back(name);
  return names;
}

// --- order ---

TEST(SchedulingQueue, TriesByPriorityThenByArrival) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  harness.Add(MakePod("b"));
  harness.Pass(Duration::Seconds(1));
  harness.Add(MakePod("c").Priority(-1));
  harness.Add(MakePod("d").Priority(10));
  harness.Add(MakePod("e"));
  harness.Add(MakePod("f").Priority(10));
  EXPECT_EQ(PopAll(harness), Names({"d", "f", "a", "b", "e", "c"}));
}

TEST(SchedulingQueue, RequeuedPodIsBehindItsPeers) {
  QueueHarness harness({.max = {}});  // No backoff.
  harness.Add(MakePod("a"));
  EXPECT_EQ(harness.Pop(), "a");
  harness.Pass(Duration::Millis(1));
  harness.Add(MakePod("b"));
  harness.Pass(Duration::Millis(1));
  harness.Return("a", {});
  EXPECT_EQ(PopAll(harness), Names({"b", "a"}));
}

TEST(SchedulingQueue, BackoffIsCutShortWhenNothingElseIsReady) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("tired"), harness.By("Hint"));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("tired"), "backoff");
  harness.Add(MakePod("fresh").Priority(-5));
  EXPECT_EQ(PopAll(harness), Names({"fresh", "tired"}));
}

TEST(SchedulingQueue, BackoffAfterAnErrorIsNeverCutShort) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("broken"), {});
  EXPECT_EQ(harness.Place("broken"), "error backoff");
  EXPECT_FALSE(harness.queue->HasReady());
  EXPECT_EQ(harness.Pop(), "");
  harness.Pass(Duration::Seconds(1));
  EXPECT_EQ(harness.Pop(), "") << "the wait ends after the full second";
  harness.Pass(Duration::Seconds(1));
  EXPECT_EQ(harness.Place("broken"), "active");
  EXPECT_EQ(harness.Pop(), "broken");
}

TEST(SchedulingQueue, PodsWhoseBackoffEndsInTheSameSecondComeByPriority) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("low"), harness.By("Hint"));
  harness.now = harness.now + Duration::Millis(300);
  harness.MakeUnschedulable(MakePod("high").Priority(5), harness.By("Hint"));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.Place("high"), "backoff");
  EXPECT_EQ(PopAll(harness), Names({"high", "low"}));
}

TEST(SchedulingQueue, PodsWhoseBackoffEndsEarlierComeFirst) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("low"), harness.By("Hint"));
  harness.Pass(Duration::Seconds(1));
  harness.MakeUnschedulable(MakePod("high").Priority(5), harness.By("Hint"));
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(PopAll(harness), Names({"low", "high"}));
}

TEST(SchedulingQueue, PodThatIsBeingTriedIsNotTriedTwice) {
  QueueHarness harness;
  harness.Add(MakePod("a").Uid("same"));
  EXPECT_EQ(harness.Pop(), "a");
  harness.Add(MakePod("b").Uid("same"));
  EXPECT_EQ(harness.Pop(), "");
  EXPECT_EQ(harness.Place("b"), "nowhere");
}

TEST(SchedulingQueue, CountsAttempts) {
  QueueHarness harness({.max = {}});
  harness.Add(MakePod("a"));
  for (uint32_t attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(harness.Pop(), "a");
    EXPECT_EQ(harness.popped.at("a").attempts, attempt);
    EXPECT_EQ(harness.popped.at("a").first_ready, Instant::FromUnixSeconds(1000));
    harness.Return("a", {});
    harness.Pass(Duration::Seconds(1));
  }
}

// --- requeueing ---

struct ReturnCase {
  const char* name;
  std::function<void(QueueHarness&)> in_flight;  // What happens while the pod is tried.
  const char* unschedulable;                     // The plugin that rejects it; "" for none.
  const char* pending;
  const char* want;
};

TEST(SchedulingQueue, PodIsRequeuedWhereItBelongs) {
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
      {"UnrelatedEvent",
       [](QueueHarness& w) { w.queue->MoveAllToActiveOrBackoffQueue(NodeRemoved(), w.now); },
       "Hint", "", "unschedulable"},
      {"PendingDoesNotBackOff", node_added, "", "Outside", "active"},
      {"OnlyTheRejectorIsHelped",
       [&](QueueHarness& w) {
         w.outside->may_help = skip;
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Hint", "Outside", "backoff"},
      {"SecondEventHelps",
       [](QueueHarness& w) {
         w.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), w.now);
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Hint", "", "backoff"},
      {"PendingIsHelpedByTheSecondEvent",
       [](QueueHarness& w) {
         w.queue->MoveAllToActiveOrBackoffQueue(ClaimAdded(), w.now);
         w.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), w.now);
       },
       "Gate", "Outside", "active"},
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
    QueueHarness harness;
    harness.MakeUnschedulable(MakePod("leftover"), harness.By("Gate"));
    harness.Add(MakePod("a"));
    harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);  // Before the attempt.
    ASSERT_EQ(harness.Pop(), "a");
    c.in_flight(harness);
    Rejectors why;
    if (*c.unschedulable != '\0') why.unschedulable = harness.Mask(c.unschedulable);
    if (*c.pending != '\0') why.pending = harness.Mask(c.pending);
    harness.Return("a", why);
    EXPECT_EQ(harness.Place("a"), c.want);
    EXPECT_FALSE(harness.queue->InFlightNow("uid-of-a"));
  }
}

TEST(SchedulingQueue, PodThatWasRequeuedMeanwhileIsNotMoved) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  harness.Pop();
  harness.queue->Add(harness.Find("a"), 0, harness.now);
  harness.Return("a", harness.By("Hint"));
  EXPECT_EQ(harness.Place("a"), "active");
  EXPECT_FALSE(harness.queue->InFlightNow("uid-of-a"));
}

TEST(SchedulingQueue, DoneDropsTheEventsOfTheAttempt) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  harness.Pop();
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.queue->sizes().in_flight, 1u);
  EXPECT_EQ(harness.queue->sizes().in_flight_events, 1u);
  harness.queue->Done("uid-of-a");
  EXPECT_EQ(harness.queue->sizes().in_flight, 0u);
  EXPECT_EQ(harness.queue->sizes().in_flight_events, 0u);
}

TEST(SchedulingQueue, EventWithoutInterestedPluginsIsNotRecorded) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  harness.Pop();
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeRemoved(), harness.now);
  EXPECT_EQ(harness.queue->sizes().in_flight_events, 0u);
}

// --- the length of the backoff ---

TEST(SchedulingQueue, RejectionsAndErrorsLengthenTheBackoffEachInTheirWay) {
  QueueHarness harness;
  harness.Add(MakePod("a"));
  struct Step {
    bool error;
    int64_t want_seconds;
  };
  // An error in a row counts from one; a rejection goes on where the rejections were.
  const Step steps[] = {{false, 1}, {false, 2}, {true, 1},  {true, 2},  {true, 4},
                        {false, 4}, {true, 1},  {false, 8}, {false, 10}};
  for (const Step& step : steps) {
    ASSERT_EQ(harness.Pop(), "a");
    harness.Return("a", step.error ? Rejectors{} : harness.By("Hint"));
    if (!step.error) harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
    ASSERT_EQ(harness.Place("a"), step.error ? "error backoff" : "backoff");
    EXPECT_EQ(harness.queue->next_wake(),
              harness.now.FloorToSecond() + Duration::Seconds(step.want_seconds + 1));
    harness.Pass(Duration::Seconds(12));
    ASSERT_EQ(harness.Place("a"), "active");
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

TEST(SchedulingQueue, EventsRequeueThePodsTheyMayHelp) {
  const auto by_hint = [](const QueueHarness& w) { return w.By("Hint"); };
  const MoveCase cases[] = {
      {"Helps", NodeAdded(), by_hint, "backoff", "active"},
      {"OfNoInterest", ClaimAdded(), by_hint, "unschedulable", "unschedulable"},
      {"NoPluginIsInterested", NodeRemoved(), by_hint, "unschedulable", "unschedulable"},
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
      QueueHarness harness;
      harness.MakeUnschedulable(MakePod("a"), c.why(harness));
      if (later) harness.Pass(Duration::Seconds(2));
      harness.queue->MoveAllToActiveOrBackoffQueue(c.event, harness.now);
      EXPECT_EQ(harness.Place("a"), later ? c.later : c.soon) << later;
    }
  }
}

TEST(SchedulingQueue, EventMayConcernSomePodsOnly) {
  QueueHarness harness;
  harness.MakeUnschedulable(MakePod("low"), harness.By("Hint"));
  harness.MakeUnschedulable(MakePod("high").Priority(9), harness.By("Hint"));
  harness.queue->MoveAllToActiveOrBackoffQueue(
      NodeAdded(), harness.now, [](const QueueEntry& entry) { return entry.order.priority <= 0; });
  EXPECT_EQ(harness.Place("low"), "backoff");
  EXPECT_EQ(harness.Place("high"), "unschedulable");
}

TEST(SchedulingQueue, CopiesCostOneHintCallPerEvent) {
  QueueHarness harness;
  for (int i = 0; i < 1000; ++i)
    harness.MakeUnschedulable(MakePod(fmt::format("p{}", i)), harness.By("Hint"));
  harness.hint->may_help = [](const model::PodRecord&,
                              const framework::ClusterEvent&) -> Result<bool> { return false; };
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.hint->hint_questions, 1);
  harness.hint->may_help = nullptr;
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeAdded(), harness.now);
  EXPECT_EQ(harness.hint->hint_questions, 2);
  EXPECT_EQ(harness.queue->sizes().backoff, 1000u) << "all copies wake";
}

TEST(SchedulingQueue, ExtendersMayBeHelpedByAlmostAnything) {
  QueueHarness harness({}, /*has_extenders=*/true);
  harness.MakeUnschedulable(MakePod("a"), {Rejectors::kExtender, 0});
  harness.queue->MoveAllToActiveOrBackoffQueue(
      {.type = {framework::Resource::kVolumeAttachment, framework::kDelete}}, harness.now);
  EXPECT_EQ(harness.Place("a"), "unschedulable");
  harness.queue->MoveAllToActiveOrBackoffQueue(NodeRemoved(), harness.now);
  EXPECT_EQ(harness.Place("a"), "backoff");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
