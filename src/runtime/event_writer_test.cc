#include "runtime/event_writer.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "client/requests_testing.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kEvents = "/apis/events.k8s.io/v1/namespaces/n/events";

class Events : public ::testing::Test {
 protected:
  explicit Events(size_t max_waiting = 1000)
      : writer(requests, timers, timers.clock(),
               {.host = "host", .max_waiting = max_waiting, .max_under_way = 2},
               [this](const std::string& line) { warnings.push_back(line); }) {}

  void Start(int status = 200) {
    writer.Start();
    requests.Answer(status);
    requests.Lines();
  }
  void Add(std::string pod) {
    writer.Add({.pod = {"n", std::move(pod)},
                .uid = "u",
                .type = "Normal",
                .reason = "Scheduled",
                .action = "Binding",
                .note = "done",
                .scheduler_name = "s",
                .resource_version = "7"});
  }
  // Answers the request of that place among all.
  void Answer(size_t index, int status, const std::string& body = "{}") {
    const auto callback = requests.asked.at(index).callback;
    callback(client::RestResponse{status, "application/json", client::Doc(body)});
  }

  client::FakeRequests requests;
  client::FakeTimers timers;
  std::vector<std::string> warnings;
  EventWriter writer;
};

TEST_F(Events, AreCreatedAndThenPatched) {
  writer.Start();
  Add("a");
  EXPECT_THAT(requests.Lines(), ElementsAre("GET /apis/events.k8s.io/v1"));
  requests.Answer(200);
  EXPECT_THAT(requests.Lines(), ElementsAre(std::string("POST ") + kEvents));
  EXPECT_EQ(requests.last().request.content_type, "application/json");
  EXPECT_THAT(requests.last().request.body, HasSubstr(R"("name":"a.18867251edfa0000")"));
  EXPECT_THAT(requests.last().request.body, HasSubstr(R"("resourceVersion":"7")"));
  Add("a");
  EXPECT_THAT(requests.Lines(), IsEmpty());  // It waits for its creation.
  requests.Answer(201);
  EXPECT_THAT(requests.Lines(),
              ElementsAre(std::string("PATCH ") + kEvents + "/a.18867251edfa0000"));
  EXPECT_EQ(requests.last().request.content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(requests.last().request.body,
            R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:00.000000Z"}})");
  requests.Answer(200);
  Add("a");
  EXPECT_THAT(requests.Lines(), IsEmpty());
}

TEST_F(Events, AnEventThatIsGoneIsCreatedAnew) {
  Start();
  Add("a");
  requests.Answer(201);
  Add("a");
  requests.Lines();
  requests.Answer(404);
  EXPECT_THAT(requests.Lines(), ElementsAre(std::string("POST ") + kEvents));
  EXPECT_THAT(requests.last().request.body, HasSubstr(R"("series":{"count":2,)"));
}

TEST_F(Events, GoToTheCoreGroupWhereThereIsNoOther) {
  Start(404);
  Add("a");
  EXPECT_THAT(requests.Lines(), ElementsAre("POST /api/v1/namespaces/n/events"));
  EXPECT_THAT(requests.last().request.body, HasSubstr(R"("involvedObject":)"));
}

TEST_F(Events, SeriesAreWrittenWhenTheyEnd) {
  Start();
  Add("a");
  requests.Answer(201);
  Add("a");
  requests.Answer(200);
  Add("a");
  requests.Lines();
  timers.Pass(Duration::Seconds(719));
  EXPECT_THAT(requests.Lines(), IsEmpty());
  timers.Pass(Duration::Seconds(1));
  EXPECT_THAT(requests.Lines(), SizeIs(1));
  EXPECT_THAT(requests.last().request.body, HasSubstr(R"({"series":{"count":3,)"));
  requests.Answer(200);
  EXPECT_EQ(timers.waiting(), 0U);
}

TEST_F(Events, AreTriedTwelveTimesWhileTheServerIsAway) {
  Start();
  Add("a");
  for (int i = 1; i < 12; ++i) {
    requests.Lines();
    requests.Break(client::RestError::Kind::kUnreachable);
    timers.Pass(Duration::Millis(9999));
    EXPECT_THAT(requests.Lines(), IsEmpty());
    timers.Pass(Duration::Millis(2501));
    EXPECT_THAT(requests.Lines(), SizeIs(1));
  }
  EXPECT_EQ(writer.dropped(), 0U);
  requests.Break(client::RestError::Kind::kUnreachable);
  timers.Pass(Duration::Seconds(60));
  EXPECT_THAT(requests.Lines(), IsEmpty());
  EXPECT_EQ(writer.dropped(), 1U);
}

TEST_F(Events, WhatTheServerRefusesIsNotTriedAgain) {
  Start();
  for (const char* pod : {"a", "b"}) {
    Add(pod);
    requests.Answer(403, "{'message':'no events for you'}");
  }
  Add("c");
  requests.Answer(403, "{'details':{'causes':[{'reason':'NamespaceTerminating'}]}}");
  timers.Pass(Duration::Seconds(60));
  EXPECT_THAT(requests.Lines(), SizeIs(3));
  EXPECT_THAT(warnings, ElementsAre("an event could not be written: no events for you"));
}

TEST_F(Events, DiscoveryIsTriedUntilTheServerAnswers) {
  writer.Start();
  Add("a");
  requests.Lines();
  requests.Break(client::RestError::Kind::kUnreachable);
  timers.Pass(Duration::Millis(12'500));
  EXPECT_THAT(requests.Lines(), ElementsAre("GET /apis/events.k8s.io/v1"));
  requests.Answer(200);
  EXPECT_THAT(requests.Lines(), SizeIs(1));
}

class FewEvents : public Events {
 protected:
  FewEvents() : Events(3) {}
};

TEST_F(FewEvents, AreDroppedAndCountedWhenTooManyWait) {
  Start();
  for (const char* pod : {"a", "b", "c", "d", "e", "f", "g"}) Add(pod);
  EXPECT_THAT(requests.Lines(), SizeIs(2));
  EXPECT_EQ(writer.waiting(), 3U);
  EXPECT_EQ(writer.dropped(), 2U);
  Answer(1, 201);
  Answer(2, 201);
  EXPECT_THAT(requests.Lines(), SizeIs(2));
  EXPECT_EQ(writer.waiting(), 1U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
