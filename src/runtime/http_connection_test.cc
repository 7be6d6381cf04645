#include "runtime/http_connection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/rest_client_testing.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

class HttpConnectionTest : public testing::Test {
 protected:
  scheduler::engine::Command Bind(uint32_t id) {
    return {scheduler::engine::CommandId(id),
            scheduler::framework::BindPod{.pod = {"default", "web"}, .uid = "u", .node = "n"}};
  }
  // The ids of the writes that have ended since the last call, and whether well: "3 ok".
  std::vector<std::string> Ended() {
    std::vector<scheduler::engine::Event> read;
    connection.Read(read);
    std::vector<std::string> lines;
    for (const scheduler::engine::Event& event : read) {
      const auto& done = std::get<scheduler::engine::WriteDone>(event);
      lines.push_back(fmt::format("{} {}", done.id.index(), done.result.ok() ? "ok" : "failed"));
    }
    return lines;
  }

  int wakes = 0;
  SimClock clock{Instant::FromUnixSeconds(0)};
  client::FakeApiServer server;
  net::ManualExecutor& loop = server.executor;
  HttpWriter writer{server.client(), loop};
  EventWriter events{server.client(), loop, clock, {}, [](const std::string&) {}};
  std::unique_ptr<ExtenderCalls> extenders = *ExtenderCalls::Make({});
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>([this] { ++wakes; });
  HttpConnection connection{mailbox, {loop, writer, events, *extenders}};
};

TEST_F(HttpConnectionTest, TellsHowWritesEnd) {
  connection.Execute(Bind(3));
  loop.Run();
  EXPECT_THAT(server.Lines(), ElementsAre("POST /api/v1/namespaces/default/pods/web/binding"));
  EXPECT_THAT(Ended(), ElementsAre());
  server.Respond(201);
  EXPECT_EQ(wakes, 1);
  EXPECT_THAT(Ended(), ElementsAre("3 ok"));
  connection.Execute(Bind(4));
  loop.Run();
  server.Respond(422, "{'kind':'Status','message':'no'}");
  EXPECT_THAT(Ended(), ElementsAre("4 failed"));
  DriverSnapshot counted;
  connection.Count(counted);
  EXPECT_EQ(counted.binds, 1);
  EXPECT_EQ(counted.refused_binds, 1);
}

TEST_F(HttpConnectionTest, LimitsWritesInFlight) {
  const size_t capacity = connection.capacity();
  EXPECT_GT(capacity, 1);
  for (uint32_t i = 0; i < capacity; ++i) connection.Execute(Bind(i));
  EXPECT_EQ(connection.capacity(), 0);
  loop.Run();
  server.Respond(201);
  EXPECT_EQ(connection.capacity(), 1);
}

TEST_F(HttpConnectionTest, NobodyWaitsForAnEvent) {
  scheduler::framework::RecordEvent event;
  event.pod = {"default", "web"};
  connection.Execute({scheduler::engine::CommandId(1), event});
  EXPECT_THAT(Ended(), ElementsAre("1 ok"));
  EXPECT_GT(connection.capacity(), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
