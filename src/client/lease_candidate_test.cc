#include "client/lease_candidate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/rest_client_testing.h"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kPath = "/apis/coordination.k8s.io/v1beta1/namespaces/ns/leasecandidates";

class LeaseCandidateTest : public testing::Test {
 protected:
  LeaseCandidateTest() {
    candidate_ = std::make_unique<LeaseCandidate>(
        server_.client(), server_.executor, server_.executor.clock(),
        LeaseCandidateOptions{.name_space = "ns",
                              .name = "me",
                              .lease_name = "lock",
                              .binary_version = "1.36.0",
                              .emulation_version = "1.35.0"},
        [this](const ElectionLogLine& line) {
          log_.push_back(line.error.empty() ? std::string(line.message)
                                            : std::string(line.message) + ": " + line.error);
        });
    server_.responder = [this](const FakeRequest& request) -> net::HttpResult<net::HttpResponse> {
      writes_.push_back(request.method + " " + request.path);
      body_ = request.body;
      return FakeApiServer::Response(status_,
                                     "{'kind':'Status','reason':'Conflict','message':'m'}");
    };
    candidate_->Start();
    server_.executor.Run();
  }
  static std::string Seconds(int64_t seconds) {
    return fmt::format("2026-01-01T00:{:02}:{:02}.000000Z", seconds / 60, seconds % 60);
  }
  // The object as the server has it.
  static std::string Object(int64_t renewed, int64_t pinged = 0) {
    const std::string ping = pinged == 0 ? "" : fmt::format(",'pingTime':'{}'", Seconds(pinged));
    return fmt::format(
        "{{'metadata':{{'name':'me','namespace':'ns','resourceVersion':'3'}},"
        "'spec':{{'leaseName':'lock','renewTime':'{}'{}}}}}",
        Seconds(renewed), ping);
  }
  void Send(std::string_view type, const std::string& object) {
    const auto on_data = server_.requests[0].stream.on_data;
    on_data(Doc(fmt::format("{{'type':'{}','object':{}}}", type, object)));
    server_.executor.Run();
  }
  void Sync(const std::string& object = "") {
    server_.Head(200);
    if (!object.empty()) Send("ADDED", object);
    Send("BOOKMARK",
         "{'metadata':{'resourceVersion':'1',"
         "'annotations':{'k8s.io/initial-events-end':'true'}}}");
  }
  std::vector<std::string> TakeWrites() { return std::exchange(writes_, {}); }

  FakeApiServer server_;
  int status_ = 200;  // Of the responses to writes.
  std::vector<std::string> writes_;
  std::string body_;  // Of the last write.
  std::vector<std::string> log_;
  std::unique_ptr<LeaseCandidate> candidate_;
};

TEST_F(LeaseCandidateTest, IsCreatedOnceItIsKnownNotToExist) {
  EXPECT_THAT(server_.requests[0].path, StartsWith(std::string(kPath) + "?watch=true&"));
  EXPECT_THAT(server_.requests[0].path, HasSubstr("&fieldSelector=metadata.name%3Dme"));
  EXPECT_THAT(TakeWrites(), IsEmpty());
  EXPECT_FALSE(candidate_->synced());
  Sync();
  EXPECT_TRUE(candidate_->synced());
  EXPECT_THAT(TakeWrites(), ElementsAre(std::string("POST ") + kPath));
  EXPECT_EQ(body_, R"({"apiVersion":"coordination.k8s.io/v1beta1","kind":"LeaseCandidate",)"
                   R"("metadata":{"name":"me","namespace":"ns"},"spec":{"leaseName":"lock",)"
                   R"("renewTime":"2026-01-01T00:00:00.000000Z","binaryVersion":"1.36.0",)"
                   R"("emulationVersion":"1.35.0","strategy":"OldestEmulationVersion"}})");
  EXPECT_THAT(log_, ElementsAre("Creating lease candidate", "Created lease candidate"));
}

TEST_F(LeaseCandidateTest, IsRenewedEveryFiveMinutes) {
  Sync();
  Send("ADDED", Object(0));
  TakeWrites();
  server_.executor.Advance(Duration::Seconds(299));
  EXPECT_THAT(TakeWrites(), IsEmpty());
  server_.executor.Advance(Duration::Seconds(1));
  EXPECT_THAT(TakeWrites(), ElementsAre(fmt::format("PUT {}/me", kPath)));
  EXPECT_EQ(body_, R"({"metadata":{"name":"me","namespace":"ns","resourceVersion":"3"},"spec":{)"
                   R"("leaseName":"lock","renewTime":"2026-01-01T00:05:00.000000Z"},)"
                   R"("apiVersion":"coordination.k8s.io/v1beta1","kind":"LeaseCandidate"})");
  EXPECT_EQ(log_.back(), "Lease candidate exists. Renewing.");
}

TEST_F(LeaseCandidateTest, RespondsToPings) {
  Sync();
  Send("ADDED", Object(0));
  TakeWrites();
  server_.executor.Advance(Duration::Seconds(9));
  Send("MODIFIED", Object(0, 8));
  EXPECT_THAT(TakeWrites(), ElementsAre(fmt::format("PUT {}/me", kPath)));
  EXPECT_THAT(body_, HasSubstr(R"("renewTime":"2026-01-01T00:00:09.000000Z")"));
  EXPECT_THAT(body_, HasSubstr(R"("pingTime":"2026-01-01T00:00:08.000000Z")"));
  Send("MODIFIED", Object(9, 8));
  EXPECT_THAT(TakeWrites(), IsEmpty());
}

TEST_F(LeaseCandidateTest, AClockThatIsBehindRespondsToo) {
  Sync();
  Send("ADDED", Object(0));
  TakeWrites();
  Send("MODIFIED", Object(0, 77));
  EXPECT_THAT(body_, HasSubstr(R"("renewTime":"2026-01-01T00:01:17.000000Z")"));
  Send("MODIFIED", Object(77, 77));
  EXPECT_EQ(TakeWrites().size(), 1u) << "one response to one ping";
}

TEST_F(LeaseCandidateTest, APingDuringAWriteIsAnsweredAfterIt) {
  const auto responder = std::exchange(server_.responder, nullptr);
  Sync();
  Send("ADDED", Object(0, 5));
  EXPECT_EQ(server_.requests.size(), 2u) << "one write at a time";
  server_.responder = responder;
  FakeApiServer::RespondTo(server_.requests[1], FakeApiServer::Response(201, "{}"));
  server_.executor.Run();
  EXPECT_THAT(TakeWrites(), ElementsAre(fmt::format("PUT {}/me", kPath)));
}

TEST_F(LeaseCandidateTest, FailuresAreRetriedWithBackoff) {
  status_ = 409;
  Sync();
  EXPECT_EQ(log_.back(), fmt::format("Ensuring lease failed: POST {}: conflict: m", kPath));
  for (const int wait : {5, 10, 20, 40}) {
    TakeWrites();
    server_.executor.Advance(Duration::Millis(wait - 1));
    EXPECT_THAT(TakeWrites(), IsEmpty()) << wait;
    server_.executor.Advance(Duration::Millis(1));
    EXPECT_EQ(TakeWrites().size(), 1u) << wait;
  }
  status_ = 201;
  server_.executor.Advance(Duration::Millis(80));
  // The next failure is retried at once again.
  status_ = 409;
  server_.executor.Advance(Duration::Seconds(300));
  TakeWrites();
  server_.executor.Advance(Duration::Millis(5));
  EXPECT_EQ(TakeWrites().size(), 1u);
}

TEST_F(LeaseCandidateTest, ACollectedCandidateIsCreatedAgain) {
  Sync(Object(0));
  EXPECT_THAT(TakeWrites(), ElementsAre(fmt::format("PUT {}/me", kPath)));
  Send("DELETED", Object(0));
  server_.executor.Advance(Duration::Seconds(300));
  EXPECT_THAT(TakeWrites(), ElementsAre(std::string("POST ") + kPath));
}

TEST_F(LeaseCandidateTest, AServerWithoutTheResourceIsNeverWrittenTo) {
  server_.Respond(404, "{'code':404,'message':'the server could not find the requested resource'}");
  server_.executor.Advance(Duration::Seconds(300));
  EXPECT_THAT(TakeWrites(), IsEmpty());
  EXPECT_FALSE(candidate_->synced());
  EXPECT_THAT(log_, ElementsAre("Failed to watch: failed to list *v1beta1.LeaseCandidate: the "
                                "server could not find the requested resource"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
