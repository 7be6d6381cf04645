#include "daemon/review_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "client/rest_client_testing.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

class ReviewQueueTest : public testing::Test {
 protected:
  // Requests a review for a request of that connection. Returns the request.
  const net::ServerRequest& Send(const std::string& key, uint64_t connection,
                                 const std::string& address = "10.0.0.1", bool urgent = false) {
    net::ServerRequest& request = requests_.emplace_back();
    request.peer.connection = connection;
    request.peer.address = address;
    ReviewQueue::Review review{.key = key, .request = {}, .urgent = urgent};
    review.request.path = "/" + key;
    queue_.Send(request, std::move(review), [this, key](const auto& result) {
      results_.push_back(key + ": " +
                         (result                      ? *result
                          : result.error().overloaded ? "overloaded"
                                                      : result.error().message));
    });
    return request;
  }
  // Returns the paths of the requests to the API server since the last call.
  std::vector<std::string> Sent() {
    std::vector<std::string> paths;
    for (std::string& line : api_.Lines()) paths.push_back(line.substr(line.find('/') + 1));
    return paths;
  }
  void RespondToOldest() { api_.RespondToOldest(201, "ok"); }
  std::vector<std::string> Results() { return std::exchange(results_, {}); }

  client::FakeApiServer api_;
  ReviewQueue queue_{
      api_.client(), api_.executor, {.in_flight = 4, .in_flight_per_address = 2, .waiting = 6}};
  std::deque<net::ServerRequest> requests_;
  std::vector<std::string> results_;
};

TEST_F(ReviewQueueTest, EqualReviewsAreSentOnce) {
  Send("a", 1);
  Send("a", 2);
  Send("a", 3);
  EXPECT_THAT(Sent(), ElementsAre("a"));
  EXPECT_EQ(queue_.in_flight(), 1U);
  RespondToOldest();
  EXPECT_THAT(Results(), ElementsAre("a: ok", "a: ok", "a: ok"));
  EXPECT_EQ(queue_.in_flight(), 0U);
  EXPECT_EQ(queue_.waiting(), 0U);
}

TEST_F(ReviewQueueTest, AnAddressHasABoundedNumberInFlight) {
  for (const char* key : {"a", "b", "c"}) Send(key, 1);
  EXPECT_THAT(Sent(), ElementsAre("a", "b"));
  // Another address does not wait.
  Send("x", 2, "10.0.0.2");
  EXPECT_THAT(Sent(), ElementsAre("x"));
  RespondToOldest();
  EXPECT_THAT(Sent(), ElementsAre("c"));
  EXPECT_EQ(queue_.in_flight(), 3U);
}

TEST_F(ReviewQueueTest, ConnectionsTakeTurns) {
  for (const char* key : {"a1", "a2", "a3", "a4"}) Send(key, 1);
  Send("b1", 2);
  Send("b2", 2);
  EXPECT_THAT(Sent(), ElementsAre("a1", "a2"));
  for (int i = 0; i < 6; ++i) RespondToOldest();
  EXPECT_THAT(Sent(), ElementsAre("b1", "a3", "b2", "a4"));
}

TEST_F(ReviewQueueTest, WhatWasFavourableBeforeGoesFirst) {
  for (const char* key : {"a1", "a2", "a3", "a4"}) Send(key, 1);
  Send("b", 2);
  Send("known", 1, "10.0.0.1", true);
  Sent();
  RespondToOldest();
  EXPECT_THAT(Sent(), ElementsAre("known"));
}

TEST_F(ReviewQueueTest, TheConnectionWithTheMostWaitingRequestsPaysForTooMany) {
  for (const char* key : {"a1", "a2", "a3", "a4", "a5", "a6"}) Send(key, 1);
  EXPECT_EQ(queue_.waiting(), 6U);
  Send("a7", 1);
  EXPECT_THAT(Results(), ElementsAre("a7: overloaded"));
  Send("b1", 2);
  EXPECT_THAT(Results(), ElementsAre("a6: overloaded"));
  Send("b2", 2);
  Send("b3", 2);
  EXPECT_THAT(Results(), ElementsAre("a5: overloaded", "a4: overloaded"));
  Send("b4", 2);
  EXPECT_THAT(Results(), ElementsAre("b4: overloaded"));
  EXPECT_EQ(queue_.waiting(), 6U);
}

TEST_F(ReviewQueueTest, EveryConnectionGetsItsFirstRequestReviewedAmongManyBogusOnes) {
  for (int i = 0; i < 800; ++i) Send("bogus" + std::to_string(i), 1);
  Results();
  Send("valid", 2);
  EXPECT_LE(queue_.waiting(), 6U);
  EXPECT_LE(queue_.in_flight(), 2U);
  // It is the next after those in flight.
  Sent();
  RespondToOldest();
  EXPECT_THAT(Sent(), ElementsAre("valid"));
}

TEST_F(ReviewQueueTest, ReviewsThatNobodyWaitsForAreDropped) {
  const auto& a = Send("a", 1);
  const auto& b = Send("b", 1);
  const auto& c = Send("c", 1);
  Send("d", 1);
  Send("b", 2);
  Sent();
  // One that waits, and one in flight, whose place is taken by the next.
  queue_.Cancel(c);
  queue_.Cancel(a);
  EXPECT_THAT(Sent(), ElementsAre("d"));
  api_.executor.Run();
  EXPECT_TRUE(api_.requests[0].cancelled);
  // Another request needs b.
  queue_.Cancel(b);
  api_.executor.Run();
  EXPECT_FALSE(api_.requests[1].cancelled);
  EXPECT_EQ(queue_.in_flight(), 2U);
  RespondToOldest();
  RespondToOldest();
  EXPECT_THAT(Results(), ElementsAre("b: ok", "d: ok"));
  EXPECT_EQ(queue_.waiting(), 0U);
}

TEST_F(ReviewQueueTest, ACancelledReviewIsNotTriedAgain) {
  const auto& a = Send("a", 1);
  api_.RespondToOldest(500);
  queue_.Cancel(a);
  api_.executor.Advance(Duration::Seconds(60));
  EXPECT_THAT(Sent(), ElementsAre("a"));
  EXPECT_THAT(Results(), IsEmpty());
  EXPECT_EQ(api_.executor.timers(), 0U);
  Send("a", 1);
  EXPECT_THAT(Sent(), ElementsAre("a"));
  api_.RespondToOldest(201, "ok");
  EXPECT_THAT(Results(), ElementsAre("a: ok"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
