#include "daemon/delegated_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/rest_client_testing.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::StartsWith;

class AuthorizerTest : public testing::Test {
 protected:
  // Returns "yes", "no", "no: reason", or the error in parentheses.
  std::string Authorize(const User& user, std::string_view path, std::string_view verb = "get") {
    if (!authorizer_) {
      authorizer_.emplace(flags_, has_api_ ? &api_.client() : nullptr, api_.executor);
    }
    std::string outcome = "nothing";
    authorizer_->Authorize(request_, user, verb, path, [&](const auto& access) {
      outcome = !access                  ? "(" + access.error().message + ")"
                : access->allowed        ? "yes"
                : access->reason.empty() ? "no"
                                         : "no: " + access->reason;
    });
    api_.executor.Run();
    // The time of all retries.
    if (outcome == "nothing") api_.executor.Advance(Duration::Seconds(10));
    return outcome;
  }

  AuthorizationFlags flags_;
  // Responds to all requests.
  void Respond(int status, std::string body) {
    api_.responder = [response = client::FakeApiServer::Response(status, std::move(body))](
                         const client::FakeRequest&) { return response; };
  }

  client::FakeApiServer api_;
  net::ServerRequest request_;
  bool has_api_ = true;
  std::optional<Authorizer> authorizer_;
};

TEST_F(AuthorizerTest, SomePathsAreAlwaysAllowed) {
  flags_.always_allow_paths = {"/healthz", "livez", "/open/*"};
  has_api_ = false;
  const User anonymous{"system:anonymous"};
  EXPECT_EQ(Authorize(anonymous, "/healthz"), "yes");
  EXPECT_EQ(Authorize(anonymous, "/livez"), "yes");
  EXPECT_EQ(Authorize(anonymous, "/open/a/b"), "yes");
  EXPECT_EQ(Authorize(anonymous, "/healthz/ping"), "no");
  EXPECT_EQ(Authorize(anonymous, "/metrics"), "no");
}

TEST_F(AuthorizerTest, AdministratorsMayDoEverything) {
  has_api_ = false;
  EXPECT_EQ(Authorize({"root", "", {"system:masters"}}, "/metrics"), "yes");
}

TEST_F(AuthorizerTest, OthersAreReviewed) {
  Respond(201, R"({"status":{"allowed":true}})");
  const User user{"jane", "7", {"dev"}, {{"scopes", {"a"}}}};
  EXPECT_EQ(Authorize(user, "/metrics"), "yes");
  EXPECT_EQ(Authorize(user, "/metrics"), "yes");
  ASSERT_EQ(api_.requests.size(), 1U);
  EXPECT_EQ(api_.requests[0].path, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_EQ(api_.requests[0].body,
            R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
            R"("metadata":{},"spec":{"nonResourceAttributes":{"path":"/metrics","verb":"get"},)"
            R"("user":"jane","groups":["dev"],"extra":{"scopes":["a"]},"uid":"7"},)"
            R"("status":{"allowed":false}})");
}

TEST_F(AuthorizerTest, DenialsAreRememberedForTheirOwnTime) {
  flags_.unauthorized_ttl = Duration::Seconds(1);
  Respond(201, R"({"status":{"allowed":false,"reason":"not today"}})");
  EXPECT_EQ(Authorize({"joe"}, "/metrics"), "no: not today");
  EXPECT_EQ(Authorize({"joe"}, "/metrics"), "no: not today");
  EXPECT_EQ(api_.requests.size(), 1U);
  EXPECT_EQ(Authorize({"joe"}, "/metrics", "delete"), "no: not today");
  EXPECT_EQ(api_.requests.size(), 2U);
  api_.executor.Advance(Duration::Seconds(2));
  Authorize({"joe"}, "/metrics");
  EXPECT_EQ(api_.requests.size(), 3U);
}

TEST_F(AuthorizerTest, ReviewsThatFailAreErrors) {
  Respond(500, "{}");
  EXPECT_THAT(Authorize({"joe"}, "/metrics"), StartsWith("(POST /apis/authorization.k8s.io/"));
  EXPECT_EQ(api_.requests.size(), 5U);
}

TEST_F(AuthorizerTest, ManyWhoWantTheSameCauseOneReview) {
  Authorizer authorizer(flags_, &api_.client(), api_.executor);
  int allowed = 0;
  for (int i = 0; i < 3; ++i) {
    authorizer.Authorize(request_, {"joe"}, "get", "/metrics",
                         [&](const auto& access) { allowed += access->allowed; });
  }
  EXPECT_EQ(api_.requests.size(), 1U);
  EXPECT_EQ(allowed, 0);
  api_.Respond(201, R"({"status":{"allowed":true}})");
  EXPECT_EQ(allowed, 3);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
