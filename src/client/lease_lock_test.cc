#include "client/lease_lock.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/rest_client_testing.h"

// Tests set only the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLease =
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l",)"
    R"("namespace":"n","resourceVersion":"7","labels":{"x":"y"}},"spec":{"holderIdentity":"a",)"
    R"("leaseDurationSeconds":15,"acquireTime":"1970-01-01T00:00:01.500000Z",)"
    R"("renewTime":"1970-01-01T00:00:02.000000Z","leaseTransitions":3,"strategy":"s"}})";

class LeaseLockTest : public testing::Test {
 protected:
  LeaseLockTest() {
    lock_ = std::make_unique<LeaseLock>(server_.client(), "n", "l", Duration::Seconds(5));
  }
  void Get() {
    lock_->Get([this](std::expected<LeaderRecord, LockFailure> result) {
      outcomes_.push_back(result ? fmt::format("{} {} {}", result->holder,
                                               result->lease_duration_seconds, result->transitions)
                                 : Text(result.error()));
    });
    server_.executor.Run();
  }
  ElectionLock::Written Note() {
    return [this](std::expected<void, LockFailure> result) {
      outcomes_.push_back(result ? "written" : Text(result.error()));
    };
  }
  void Update(const LeaderRecord& record) {
    lock_->Update(record, Note());
    server_.executor.Run();
  }
  void Respond(int status, std::string body) {
    server_.RespondToOldest(status, std::move(body));
    server_.executor.Run();
  }
  static std::string Text(const LockFailure& failure) {
    return (failure.not_found ? "not found: " : "failed: ") + failure.message;
  }
  static LeaderRecord Record() { return {"b", 15, {1'000'000'000}, {2'000'000'000}, 4}; }

  FakeApiServer server_;
  std::unique_ptr<LeaseLock> lock_;
  std::vector<std::string> outcomes_;
};

TEST_F(LeaseLockTest, ReadsTheLease) {
  Get();
  EXPECT_EQ(server_.requests[0].method, "GET");
  EXPECT_EQ(server_.requests[0].url, "https://h/apis/coordination.k8s.io/v1/namespaces/n/leases/l");
  EXPECT_EQ(server_.requests[0].timeout, Duration::Seconds(5));
  Respond(200, kLease);
  EXPECT_THAT(outcomes_, ElementsAre("a 15 3"));
}

TEST_F(LeaseLockTest, WritesTheWholeLeaseWithItsVersion) {
  Get();
  Respond(200, kLease);
  Update(Record());
  EXPECT_EQ(server_.requests[1].method, "PUT");
  EXPECT_EQ(server_.requests[1].body,
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l",)"
            R"("namespace":"n","resourceVersion":"7","labels":{"x":"y"}},"spec":{)"
            R"("holderIdentity":"b","leaseDurationSeconds":15,)"
            R"("acquireTime":"1970-01-01T00:00:01.000000Z",)"
            R"("renewTime":"1970-01-01T00:00:02.000000Z","leaseTransitions":4}})");
  Respond(200, R"({"kind":"Lease","metadata":{"resourceVersion":"8"}})");
  Update(Record());
  EXPECT_THAT(server_.requests[2].body, HasSubstr(R"("resourceVersion":"8")"));
  Respond(409, R"({"kind":"Status","reason":"Conflict","message":"modified"})");
  EXPECT_THAT(outcomes_,
              ElementsAre("a 15 3", "written",
                          "failed: PUT /apis/coordination.k8s.io/v1/namespaces/n/leases/l: "
                          "conflict: modified"));
}

// A controller that assigns the lease writes no acquireTime, and a strategy.
TEST_F(LeaseLockTest, ReadsAndWritesTheFieldsOfCoordinatedElections) {
  std::optional<LeaderRecord> record;
  lock_->Get([&](std::expected<LeaderRecord, LockFailure> result) { record = *result; });
  server_.executor.Run();
  Respond(200, R"({"kind":"Lease","spec":{"holderIdentity":"a","leaseDurationSeconds":5,)"
               R"("renewTime":"1970-01-01T00:00:02.000000Z","strategy":"s",)"
               R"("preferredHolder":"b"}})");
  EXPECT_EQ(*record, (LeaderRecord{"a", 5, {}, {2'000'000'000}, 0, "s", "b"}));
  Update({"a", 15, {}, {3'000'000'000}, 0, "s"});
  EXPECT_EQ(server_.requests[1].body,
            R"({"kind":"Lease","spec":{"holderIdentity":"a","leaseDurationSeconds":15,)"
            R"("renewTime":"1970-01-01T00:00:03.000000Z","leaseTransitions":0,"strategy":"s"}})");
}

TEST_F(LeaseLockTest, Creates) {
  lock_->Create(Record(), Note());
  server_.executor.Run();
  EXPECT_EQ(server_.requests[0].method, "POST");
  EXPECT_EQ(server_.requests[0].url, "https://h/apis/coordination.k8s.io/v1/namespaces/n/leases");
  EXPECT_EQ(server_.requests[0].body,
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l",)"
            R"("namespace":"n"},"spec":{"holderIdentity":"b","leaseDurationSeconds":15,)"
            R"("acquireTime":"1970-01-01T00:00:01.000000Z",)"
            R"("renewTime":"1970-01-01T00:00:02.000000Z","leaseTransitions":4}})");
  Respond(201, kLease);
  Update(Record());
  Respond(200, kLease);
  EXPECT_THAT(outcomes_, ElementsAre("written", "written"));
}

TEST_F(LeaseLockTest, AResponseThatIsNotALeaseIsAFailure) {
  Update(Record());
  EXPECT_THAT(outcomes_, ElementsAre("failed: lease n/l was never read"));
  outcomes_.clear();
  for (const char* body : {"", "[]", "{", "{\"kind\":\"Pod\"}", "null", "7"}) {
    Get();
    Respond(200, body);
    EXPECT_THAT(outcomes_.back(), HasSubstr("the answer is not a Lease")) << body;
  }
  Get();
  Respond(404, R"({"kind":"Status","reason":"NotFound"})");
  EXPECT_EQ(outcomes_.back(),
            "not found: GET /apis/coordination.k8s.io/v1/namespaces/n/leases/l: not found");
  Get();
  server_.Break(net::HttpError::Kind::kUnreachable, "GET https://h: refused");
  EXPECT_EQ(outcomes_.back(), "failed: GET https://h: refused");
  Get();
  Respond(200, R"({"kind":"Lease"})");
  EXPECT_EQ(outcomes_.back(), " 0 0");
  Get();
  Respond(200, R"({"kind":"Lease","spec":{"holderIdentity":4,"leaseDurationSeconds":-5,)"
               R"("acquireTime":"x","leaseTransitions":99999999999}})");
  EXPECT_EQ(outcomes_.back(), " 0 0");
}

TEST_F(LeaseLockTest, CancelledRequestsAreNotReported) {
  Get();
  lock_->Cancel();
  server_.executor.Run();
  EXPECT_TRUE(server_.pending() == 0);
  Get();
  lock_.reset();
  server_.executor.Run();
  EXPECT_TRUE(outcomes_.empty());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
