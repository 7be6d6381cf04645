#include "runtime/http_connection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/runtime_testing.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class HttpConnectionTest : public testing::Test {
 protected:
  HttpConnectionTest() { fence.Open(); }

  scheduler::engine::Command Bind(uint32_t id) {
    return {scheduler::engine::CommandId(id),
            scheduler::framework::BindPod{.pod = {"default", "web"}, .uid = "u", .node = "n"}};
  }
  // Returns the ids and outcomes of the writes that ended since the last call: "3 ok".
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
  client::FakeApiServer server;
  net::ManualExecutor& executor = server.executor;
  std::unique_ptr<ExtenderCalls> extenders = *ExtenderCalls::Make({});
  WriteFence fence{executor.clock()};
  HttpConnection connection{FakeClients(server), {}, *extenders, fence, executor.clock(),
                            [this] { ++wakes; }};
};

TEST_F(HttpConnectionTest, ReportsTheResultsOfWrites) {
  connection.Execute(Bind(3));
  executor.Run();
  EXPECT_THAT(server.Lines(), ElementsAre("POST /api/v1/namespaces/default/pods/web/binding"));
  EXPECT_THAT(Ended(), IsEmpty());
  server.Respond(201);
  EXPECT_EQ(wakes, 1);
  EXPECT_THAT(Ended(), ElementsAre("3 ok"));
  connection.Execute(Bind(4));
  executor.Run();
  server.Respond(422, "{'kind':'Status','message':'no'}");
  EXPECT_THAT(Ended(), ElementsAre("4 failed"));
  DriverSnapshot counted;
  connection.Count(counted);
  EXPECT_EQ(counted.binds, 1);
  EXPECT_EQ(counted.refused_binds, 1);
}

TEST_F(HttpConnectionTest, ABindTakesOnePost) {
  const size_t before = executor.posts();
  connection.Execute(Bind(1));
  executor.Run();
  server.Respond(201);
  EXPECT_THAT(Ended(), ElementsAre("1 ok"));
  EXPECT_EQ(executor.posts() - before, 1);
}

TEST_F(HttpConnectionTest, LimitsWritesInFlight) {
  const size_t capacity = connection.capacity();
  EXPECT_GT(capacity, 1);
  for (uint32_t i = 0; i < capacity; ++i) connection.Execute(Bind(i));
  EXPECT_EQ(connection.capacity(), 0);
  executor.Run();
  server.Respond(201);
  EXPECT_EQ(connection.capacity(), 1);
}

TEST_F(HttpConnectionTest, NothingWaitsForAnEvent) {
  scheduler::framework::RecordEvent event;
  event.pod = {"default", "web"};
  connection.Execute({scheduler::engine::CommandId(1), event});
  EXPECT_THAT(Ended(), ElementsAre("1 ok"));
  EXPECT_GT(connection.capacity(), 0);
}

TEST_F(HttpConnectionTest, WorkThatWasPostedBeforeStopDoesNothing) {
  connection.Start([] {});
  executor.Run();
  bool refreshed = false;
  connection.Refresh([&] { refreshed = true; });
  connection.Execute(Bind(1));
  connection.Execute({scheduler::engine::CommandId(2), scheduler::framework::RecordEvent{}});
  connection.Stop(Duration{});
  server.Lines();
  executor.Run();
  EXPECT_THAT(server.Lines(), IsEmpty());
  EXPECT_FALSE(refreshed);
}

TEST_F(HttpConnectionTest, WritesThatWaitForTheirThreadFailOnceTheFenceIsClosed) {
  connection.Execute(Bind(1));
  fence.Close();
  executor.Run();
  EXPECT_THAT(server.Lines(), IsEmpty());
  EXPECT_THAT(Ended(), ElementsAre("1 failed"));
  EXPECT_EQ(connection.capacity(), 64);
}

TEST_F(HttpConnectionTest, RetriesEndWhenTheFenceIsClosed) {
  connection.Execute(Bind(1));
  executor.Run();
  server.Respond(429, "{}", {{"Retry-After", "30"}});
  server.Lines();
  fence.Close();
  connection.CancelWaitingWrites();
  executor.Run();
  EXPECT_THAT(Ended(), ElementsAre("1 failed"));
  executor.Advance(Duration::Seconds(60));
  EXPECT_THAT(server.Lines(), IsEmpty());
}

TEST_F(HttpConnectionTest, StopCancelsWhatIsInFlight) {
  connection.Start([] {});
  executor.Run();
  connection.Execute(Bind(1));
  executor.Run();
  const size_t bind = server.requests.size() - 1;
  connection.Stop(Duration{});
  executor.Run();
  EXPECT_TRUE(server.requests[bind].cancelled);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
