#include "scheduler/queue/in_flight_events.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/object_builders.h"

namespace berth::scheduler::queue {
namespace BERTH_TEST_FILE {

using Names = std::vector<std::string>;

framework::ClusterEvent NodeAdded(const std::string& node) {
  return {.type = {framework::Resource::kNode, framework::kAdd}, .after = MakeNode(node).ref()};
}

// The nodes of the events since the attempt started; "*" for the wildcard.
Names Since(const InFlightEvents& in_flight, const std::string& uid) {
  Names names;
  in_flight.ForEachSince(uid, [&](const framework::ClusterEvent& event) {
    const auto* node = event.AfterAs<api::Node>();
    names.push_back(event.type.wildcard() ? "*" : node->metadata.name);
    return true;
  });
  return names;
}

TEST(InFlightEvents, PodReceivesEventsSinceItsAttemptStarted) {
  InFlightEvents in_flight;
  in_flight.Begin("a");
  in_flight.Note(NodeAdded("n1"));
  in_flight.Begin("b");
  in_flight.Note(NodeAdded("n2"));
  EXPECT_EQ(Since(in_flight, "a"), Names({"n1", "n2"}));
  EXPECT_EQ(Since(in_flight, "b"), Names({"n2"}));
}

TEST(InFlightEvents, VisitStopsOnRequest) {
  InFlightEvents in_flight;
  in_flight.Begin("a");
  for (const char* node : {"n1", "n2", "n3"}) in_flight.Note(NodeAdded(node));
  int visits = 0;
  in_flight.ForEachSince("a", [&](const framework::ClusterEvent&) { return ++visits < 2; });
  EXPECT_EQ(visits, 2);
}

TEST(InFlightEvents, WithoutPodsNothingIsRecorded) {
  InFlightEvents in_flight;
  in_flight.Note(NodeAdded("n1"));
  EXPECT_EQ(in_flight.events(), 0u);
  in_flight.Begin("a");
  EXPECT_EQ(Since(in_flight, "a"), Names());
}

TEST(InFlightEvents, EventsOlderThanEveryAttemptAreDropped) {
  InFlightEvents in_flight;
  in_flight.Begin("a");
  in_flight.Note(NodeAdded("n1"));
  in_flight.Begin("b");
  in_flight.Note(NodeAdded("n2"));
  in_flight.Begin("c");
  in_flight.Note(NodeAdded("n3"));

  in_flight.Done("b");
  EXPECT_EQ(in_flight.events(), 3u) << "a still wants them";
  in_flight.Done("a");
  EXPECT_EQ(in_flight.events(), 1u);
  EXPECT_EQ(Since(in_flight, "c"), Names({"n3"}));
  in_flight.Done("nobody");
  in_flight.Done("c");
  EXPECT_EQ(in_flight.events(), 0u);
  EXPECT_TRUE(in_flight.empty());
}

TEST(InFlightEvents, NewAttemptStartsWithoutEvents) {
  InFlightEvents in_flight;
  in_flight.Begin("a");
  in_flight.Begin("b");
  in_flight.Note(NodeAdded("n1"));
  in_flight.Done("a");
  in_flight.Begin("a");
  EXPECT_EQ(Since(in_flight, "a"), Names());
  EXPECT_EQ(Since(in_flight, "b"), Names({"n1"}));
}

// A pod that is held back for minutes must not make the list grow without end, and no pod may miss
// an event that could have helped it: dropped events are replaced by the wildcard.
TEST(InFlightEvents, OldestHalfIsReplacedByAWildcard) {
  InFlightEvents in_flight;
  in_flight.Begin("first");
  for (size_t i = 0; i < 100; ++i) in_flight.Note(NodeAdded("old"));
  in_flight.Begin("early");
  while (in_flight.events() < InFlightEvents::kMaxEvents - 10) in_flight.Note(NodeAdded("middle"));
  in_flight.Begin("late");
  while (in_flight.events() < InFlightEvents::kMaxEvents) in_flight.Note(NodeAdded("new"));
  ASSERT_EQ(in_flight.events(), InFlightEvents::kMaxEvents);
  in_flight.Note(NodeAdded("last"));

  EXPECT_EQ(in_flight.events(), InFlightEvents::kMaxEvents / 2 + 2);
  for (const char* uid : {"first", "early"}) {
    const Names heard = Since(in_flight, uid);
    ASSERT_EQ(heard.size(), InFlightEvents::kMaxEvents / 2 + 2) << uid;
    EXPECT_EQ(heard.front(), "*");
    EXPECT_EQ(heard.back(), "last");
  }
  const Names late = Since(in_flight, "late");
  EXPECT_EQ(late.size(), 11u);
  EXPECT_EQ(late.front(), "new");
  EXPECT_EQ(late.back(), "last");
}

TEST(InFlightEvents, StaysBoundedForever) {
  InFlightEvents in_flight;
  in_flight.Begin("stuck");
  const framework::ClusterEvent event = NodeAdded("n");
  for (size_t i = 0; i < 5 * InFlightEvents::kMaxEvents; ++i) {
    in_flight.Note(event);
    ASSERT_LE(in_flight.events(), InFlightEvents::kMaxEvents);
  }
  EXPECT_EQ(Since(in_flight, "stuck").front(), "*");
  in_flight.Done("stuck");
  EXPECT_EQ(in_flight.events(), 0u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::queue
