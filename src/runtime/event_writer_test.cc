#include "runtime/event_writer.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "client/rest_client_testing.h"

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
      : writer(server.client(), server.executor, server.executor.clock(), fence,
               {.host = "host", .max_waiting = max_waiting, .max_under_way = 2},
               [this](const std::string& line) { warnings.push_back(line); }) {}

  void Start(int status = 200) {
    writer.Start();
    server.Respond(status);
    server.Lines();
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
  // Responds to the request of that index among all.
  void Respond(size_t index, int status) {
    client::FakeApiServer::RespondTo(server.requests.at(index),
                                     client::FakeApiServer::Response(status, "{}"));
  }

  client::FakeApiServer server;
  std::vector<std::string> warnings;
  WriteFence fence{server.executor.clock()};
  EventWriter writer;
};

TEST_F(Events, AreCreatedAndThenPatched) {
  writer.Start();
  Add("a");
  EXPECT_THAT(server.Lines(), ElementsAre("GET /apis/events.k8s.io/v1"));
  server.Respond(200);
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("POST ") + kEvents));
  EXPECT_EQ(server.last().header("Content-Type"), "application/json");
  EXPECT_THAT(server.last().body, HasSubstr(R"("name":"a.18867251edfa0000")"));
  EXPECT_THAT(server.last().body, HasSubstr(R"("resourceVersion":"7")"));
  Add("a");
  EXPECT_THAT(server.Lines(), IsEmpty());  // It waits for its creation.
  server.Respond(201);
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("PATCH ") + kEvents + "/a.18867251edfa0000"));
  EXPECT_EQ(server.last().header("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(server.last().body,
            R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:00.000000Z"}})");
  server.Respond(200);
  Add("a");
  EXPECT_THAT(server.Lines(), IsEmpty());
}

TEST_F(Events, AnEventThatIsGoneIsCreatedAnew) {
  Start();
  Add("a");
  server.Respond(201);
  Add("a");
  server.Lines();
  server.Respond(404);
  EXPECT_THAT(server.Lines(), ElementsAre(std::string("POST ") + kEvents));
  EXPECT_THAT(server.last().body, HasSubstr(R"("series":{"count":2,)"));
}

TEST_F(Events, AreCreatedInTheCoreGroupIfThereIsNoOther) {
  Start(404);
  Add("a");
  EXPECT_THAT(server.Lines(), ElementsAre("POST /api/v1/namespaces/n/events"));
  EXPECT_THAT(server.last().body, HasSubstr(R"("involvedObject":)"));
}

TEST_F(Events, SeriesAreWrittenWhenTheyEnd) {
  Start();
  Add("a");
  server.Respond(201);
  Add("a");
  server.Respond(200);
  Add("a");
  server.Lines();
  server.executor.Advance(Duration::Seconds(719));
  EXPECT_THAT(server.Lines(), IsEmpty());
  server.executor.Advance(Duration::Seconds(1));
  EXPECT_THAT(server.Lines(), SizeIs(1));
  EXPECT_THAT(server.last().body, HasSubstr(R"({"series":{"count":3,)"));
  server.Respond(200);
  EXPECT_EQ(server.executor.timers(), 0U);
}

TEST_F(Events, AreTriedTwelveTimesWhileTheServerIsAway) {
  Start();
  Add("a");
  for (int i = 1; i < 12; ++i) {
    server.Lines();
    server.Break(net::HttpError::Kind::kUnreachable);
    server.executor.Advance(Duration::Millis(9999));
    EXPECT_THAT(server.Lines(), IsEmpty());
    server.executor.Advance(Duration::Millis(2501));
    EXPECT_THAT(server.Lines(), SizeIs(1));
  }
  EXPECT_EQ(writer.counts().dropped, 0U);
  server.Break(net::HttpError::Kind::kUnreachable);
  server.executor.Advance(Duration::Seconds(60));
  EXPECT_THAT(server.Lines(), IsEmpty());
  EXPECT_EQ(writer.counts().dropped, 1U);
}

TEST_F(Events, WhatTheServerRefusesIsNotTriedAgain) {
  Start();
  for (const char* pod : {"a", "b"}) {
    Add(pod);
    server.Respond(403, "{'message':'no events for you'}");
  }
  Add("c");
  server.Respond(403, "{'details':{'causes':[{'reason':'NamespaceTerminating'}]}}");
  server.executor.Advance(Duration::Seconds(60));
  EXPECT_THAT(server.Lines(), SizeIs(3));
  const char* const warning = "an event could not be written (1 so far): no events for you";
  EXPECT_THAT(warnings, ElementsAre(warning)) << "not each one";
  EXPECT_EQ(writer.counts().refused, 3U);
  server.executor.Advance(Duration::Seconds(600));
  Add("d");
  server.Respond(403, "{'message':'still none'}");
  EXPECT_THAT(warnings,
              ElementsAre(warning, "an event could not be written (4 so far): still none"))
      << "but not only the first of the process";
}

TEST_F(Events, DiscoveryIsTriedUntilTheServerResponds) {
  writer.Start();
  Add("a");
  server.Lines();
  server.Break(net::HttpError::Kind::kUnreachable);
  server.executor.Advance(Duration::Millis(12'500));
  EXPECT_THAT(server.Lines(), ElementsAre("GET /apis/events.k8s.io/v1"));
  server.Respond(200);
  EXPECT_THAT(server.Lines(), SizeIs(1));
}

class FewEvents : public Events {
 protected:
  FewEvents() : Events(3) {}
};

TEST_F(FewEvents, AreDroppedAndCountedWhenTooManyWait) {
  Start();
  for (const char* pod : {"a", "b", "c", "d", "e", "f", "g"}) Add(pod);
  EXPECT_THAT(server.Lines(), SizeIs(2));
  EXPECT_EQ(writer.waiting(), 3U);
  EXPECT_EQ(writer.counts().dropped, 2U);
  Respond(1, 201);
  Respond(2, 201);
  EXPECT_THAT(server.Lines(), SizeIs(2));
  EXPECT_EQ(writer.waiting(), 1U);
}

TEST_F(Events, AreDroppedWithoutTheLease) {
  Start();
  Add("a");
  server.Break(net::HttpError::Kind::kUnreachable);  // It is sent again after a pause.
  fence.SetLeaseEnd(server.executor.Now());
  Add("b");
  server.Lines();
  server.executor.Advance(Duration::Seconds(3600));
  EXPECT_THAT(server.Lines(), IsEmpty());
  EXPECT_TRUE(writer.idle());
  EXPECT_EQ(writer.counts().dropped, 2);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
