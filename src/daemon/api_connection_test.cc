#include "daemon/api_connection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/manual_timers.h"
#include "client/request_fakes.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;

class ApiConnectionTest : public testing::Test {
 protected:
  Command Bind(uint32_t id) {
    return {CommandId(id), BindPod{.pod = {"default", "web"}, .uid = "u", .node = "n"}};
  }
  // The ids of the writes that have ended since the last call, and whether well: "3 ok".
  std::vector<std::string> Ended() {
    std::vector<Event> read;
    connection.Read(read);
    std::vector<std::string> lines;
    for (const Event& event : read) {
      const auto& done = std::get<WriteDone>(event);
      lines.push_back(fmt::format("{} {}", done.id.index(), done.result.ok() ? "ok" : "failed"));
    }
    return lines;
  }

  int wakes = 0;
  SimClock clock{Instant::FromUnixSeconds(0)};
  client::ManualTimers loop;
  client::FakeRequests requests;
  client::ApiWriter writer{requests, loop};
  client::EventWriter events{requests, loop, clock, {}, [](const std::string&) {}};
  std::unique_ptr<net::ExtenderCalls> extenders = *net::ExtenderCalls::Make({});
  std::shared_ptr<driver::Mailbox> mailbox = std::make_shared<driver::Mailbox>([this] { ++wakes; });
  ApiConnection connection{mailbox, {loop, writer, events, *extenders}};
};

TEST_F(ApiConnectionTest, TellsHowWritesEnd) {
  connection.Carry(Bind(3));
  loop.Run();
  EXPECT_THAT(requests.Lines(), ElementsAre("POST /api/v1/namespaces/default/pods/web/binding"));
  EXPECT_THAT(Ended(), ElementsAre());
  requests.Answer(201);
  EXPECT_EQ(wakes, 1);
  EXPECT_THAT(Ended(), ElementsAre("3 ok"));
  connection.Carry(Bind(4));
  loop.Run();
  requests.Answer(422, "{'kind':'Status','message':'no'}");
  EXPECT_THAT(Ended(), ElementsAre("4 failed"));
  driver::DriverSnapshot counted;
  connection.Count(counted);
  EXPECT_EQ(counted.binds, 1);
  EXPECT_EQ(counted.refused_binds, 1);
}

TEST_F(ApiConnectionTest, HasRoomForSoManyAtATime) {
  const size_t room = connection.room();
  EXPECT_GT(room, 1);
  for (uint32_t i = 0; i < room; ++i) connection.Carry(Bind(i));
  EXPECT_EQ(connection.room(), 0);
  loop.Run();
  requests.Answer(201);
  EXPECT_EQ(connection.room(), 1);
}

TEST_F(ApiConnectionTest, NobodyWaitsForAnEvent) {
  RecordEvent event;
  event.pod = {"default", "web"};
  connection.Carry({CommandId(1), event});
  EXPECT_THAT(Ended(), ElementsAre("1 ok"));
  EXPECT_GT(connection.room(), 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
