#include "apiserver/service_account_tokens.h"

#include <gtest/gtest.h>

#include "api/json/document.h"
#include "apiserver/authentication.h"
#include "apiserver/handler.h"
#include "apiserver/handler_testing.h"
#include "apiserver/registry/api_testing.h"
#include "testing/require.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

using registry::Doc;
using registry::ErrorOf;

struct TokenFixture : registry::ApiFixture {
  TokenFixture() { Make("serviceaccounts", "{'metadata':{'name':'robot'}}"); }

  api::scheme::ApiResult<api::Json> Issue(std::string_view spec, std::string name = "robot") {
    return tokens.Issue({"default", std::move(name)}, Doc(fmt::format("{{'spec':{}}}", spec)));
  }
  std::string TokenOf(std::string_view spec) {
    const auto issued = Issue(spec);
    EXPECT_EQ(ErrorOf(issued), "ok");
    const api::JsonObject* status =
        issued ? api::ObjectAt(api::AsObject(*issued), "status") : nullptr;
    return std::string(api::StringAt(status, "token"));
  }
  // Returns the user's name, or "".
  std::string Who(std::string_view token, const std::vector<std::string>& audiences = {}) {
    const auto user = tokens.Verify(token, audiences);
    return user ? user->name : "";
  }

  ServiceAccountTokens tokens{*store, clock, Require(net::JwtKey::Generate())};
};

constexpr std::string_view kRobot = "system:serviceaccount:default:robot";

TEST(ServiceAccountTokens, AreAcceptedUntilTheyExpire) {
  TokenFixture fixture;
  const auto issued = fixture.Issue("{}");
  ASSERT_EQ(ErrorOf(issued), "ok");
  EXPECT_HOLDS(*issued,
               "{'kind':'TokenRequest','apiVersion':'authentication.k8s.io/v1',"
               "'metadata':{'name':'robot','namespace':'default',"
               "'creationTimestamp':'2026-01-01T00:00:00Z'},"
               "'spec':{'audiences':['https://kubernetes.default.svc.cluster.local'],"
               "'expirationSeconds':3600},"
               "'status':{'expirationTimestamp':'2026-01-01T01:00:00Z'}}");
  const std::string token = fixture.TokenOf("{}");
  const auto user = fixture.tokens.Verify(token, {});
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, kRobot);
  EXPECT_EQ(user->groups,
            (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:default",
                                      "system:authenticated"}));
  fixture.clock.Advance(Duration::Seconds(3599));
  EXPECT_EQ(fixture.Who(token), kRobot);
  fixture.clock.Advance(Duration::Seconds(1));
  EXPECT_EQ(fixture.Who(token), "");
}

TEST(ServiceAccountTokens, AreForTheirAudiences) {
  TokenFixture fixture;
  const std::string token = fixture.TokenOf("{'audiences':['vault','other']}");
  EXPECT_EQ(fixture.Who(token), "");
  EXPECT_EQ(fixture.Who(token, {"vault"}), kRobot);
  EXPECT_EQ(fixture.Who(token, {"unknown"}), "");
}

TEST(ServiceAccountTokens, EndWithTheirAccountOrObject) {
  TokenFixture fixture;
  fixture.Make("pods",
               "{'metadata':{'name':'a'},'spec':{'serviceAccountName':'robot',"
               "'containers':[{'name':'c','image':'i'}]}}");
  const std::string of_pod =
      fixture.TokenOf("{'boundObjectRef':{'kind':'Pod','apiVersion':'v1','name':'a'}}");
  const std::string of_account = fixture.TokenOf("{}");
  EXPECT_EQ(fixture.Who(of_pod), kRobot);
  fixture.Delete("pods", "a");
  EXPECT_EQ(fixture.Who(of_pod), "");
  EXPECT_EQ(fixture.Who(of_account), kRobot);
  fixture.Delete("serviceaccounts", "robot");
  fixture.Make("serviceaccounts", "{'metadata':{'name':'robot'}}");
  EXPECT_EQ(fixture.Who(of_account), "");
}

TEST(ServiceAccountTokens, AreRefusedForWrongRequests) {
  TokenFixture fixture;
  EXPECT_EQ(ErrorOf(fixture.Issue("{}", "nobody")),
            "404 NotFound: serviceaccounts \"nobody\" not found");
  EXPECT_EQ(ErrorOf(fixture.Issue("{'expirationSeconds':599}")),
            "422 Invalid: TokenRequest.authentication.k8s.io \"\" is invalid: "
            "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 "
            "minutes");
  EXPECT_EQ(ErrorOf(fixture.Issue("{'expirationSeconds':4294967297}")),
            "422 Invalid: TokenRequest.authentication.k8s.io \"\" is invalid: "
            "spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger "
            "than 2^32 seconds");
  EXPECT_EQ(ErrorOf(fixture.Issue("{'boundObjectRef':{'kind':'Pod','name':'a'}}")),
            "404 NotFound: pods \"a\" not found");
  fixture.Make("pods", registry::kPodA);
  EXPECT_EQ(ErrorOf(fixture.Issue("{'boundObjectRef':{'kind':'Pod','name':'a'}}")),
            "400 BadRequest: cannot bind token for serviceaccount \"robot\" to pod running with "
            "different serviceaccount name.");
  EXPECT_EQ(ErrorOf(fixture.Issue("{'boundObjectRef':{'kind':'Job','name':'a'}}")),
            "400 BadRequest: cannot bind token to object of type , Kind=Job");
}

TEST(ServiceAccountTokens, AuthenticateRequests) {
  TokenFixture fixture;
  const auto tokens = std::make_shared<ServiceAccountTokens>(*fixture.store, fixture.clock,
                                                             Require(net::JwtKey::Generate()));
  const registry::AccessOptions options{.tokens = {{"secret", {"alice", "", {}}}},
                                        .service_accounts = tokens};
  Handler handler(fixture.api, registry::Access(options), fixture.clock, fixture.clock);
  const auto ask = [&](std::string method, std::string target, const std::string& token,
                       std::string body) {
    net::ServerRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = {{"Content-Type", "application/json"}, {"Authorization", "Bearer " + token}};
    return Send(handler, std::move(request));
  };
  const auto made = ask("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", "secret",
                        R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1"})");
  ASSERT_EQ(made->status, 201) << made->body;
  const api::Json issued = Doc(made->body);
  const std::string token(api::StringAt(api::ObjectAt(api::AsObject(issued), "status"), "token"));
  EXPECT_EQ(ask("GET", "/api/v1/pods", token, "")->status, 200);
  EXPECT_EQ(ask("GET", "/api/v1/pods", token + "A", "")->status, 401);
  const auto review = ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", "secret",
                          R"({"spec":{"token":")" + token + R"("}})");
  EXPECT_HOLDS(Doc(review->body),
               "{'status':{'authenticated':true,'user':{'username':"
               "'system:serviceaccount:default:robot'}}}");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
