#include "apiserver/authentication.h"

#include <gtest/gtest.h>

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

TEST(TokenFileTest, ParsesLinesLikeKubernetes) {
  const auto tokens = registry::ParseTokenFile(
      "# operators\n"
      "secret1,alice,u1,\"ops,dev\"\r\n"
      "\n"
      "secret2,bob\n");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 2u);
  EXPECT_EQ((*tokens)[0].secret, "secret1");
  EXPECT_EQ((*tokens)[0].user.name, "alice");
  EXPECT_EQ((*tokens)[0].user.uid, "u1");
  EXPECT_EQ((*tokens)[0].user.groups,
            (std::vector<std::string>{"ops", "dev", "system:authenticated"}));
  EXPECT_EQ((*tokens)[1].user.name, "bob");
}

TEST(TokenFileTest, ErrorsNameTheLineAndNotTheToken) {
  const auto no_user = registry::ParseTokenFile("secret1,alice,u1\nsecret2\n");
  ASSERT_FALSE(no_user);
  EXPECT_EQ(no_user.error().message, "line 2: expected token,user[,uid[,\"group1,group2\"]]");
  EXPECT_EQ(registry::ParseTokenFile("a,b,c,\"d").error().message, "line 1: a quote is not closed");
  EXPECT_EQ(registry::ParseTokenFile("\n# none\n").error().message, "it has no tokens");
}

registry::AccessOptions WithToken() {
  return {.tokens = *registry::ParseTokenFile("secret,alice,u1")};
}

TEST(ExposureTest, LoopbackNeedsNoOptions) {
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "localhost"}) {
    EXPECT_TRUE(CheckExposure(address, false, {})) << address;
  }
}

TEST(ExposureTest, OtherAddressesRequireTlsAndAuthentication) {
  const auto plain = CheckExposure("0.0.0.0", false, WithToken());
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().message.find("--tls"), std::string::npos);
  const auto open = CheckExposure("::", true, {});
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("--token-auth-file"), std::string::npos);
  EXPECT_FALSE(CheckExposure("127.0.0.1.example.com", true, {}));
  EXPECT_TRUE(CheckExposure("0.0.0.0", true, WithToken()));
  EXPECT_TRUE(CheckExposure("0.0.0.0", true, {.client_certificates = true}));
  EXPECT_TRUE(CheckExposure("0.0.0.0", false, {.allow_anonymous = true}));
}

net::ServerRequest With(std::vector<net::HttpHeader> headers) {
  net::ServerRequest request;
  request.headers = std::move(headers);
  return request;
}

// Returns the user's name, or the error's code.
std::string Who(const registry::Access& access, const net::ServerRequest& request) {
  const auto user = Authenticate(access, request);
  return user ? user->name : std::to_string(user.error().code);
}

TEST(AccessTest, WithoutCredentialsEveryClientIsAdmin) {
  EXPECT_EQ(Who(registry::Access({}), With({{"Host", "127.0.0.1:8001"}})), "system:admin");
  EXPECT_EQ(Who(registry::Access({}), With({{"Host", "[::1]:8001"}})), "system:admin");
  EXPECT_EQ(Who(registry::Access({}), With({})), "system:admin");
}

TEST(AccessTest, CrossOriginRequestsAreForbidden) {
  EXPECT_EQ(Who(registry::Access({}), With({{"Host", "evil.example:8001"}})), "403");
  EXPECT_EQ(
      Who(registry::Access({}), With({{"Host", "localhost"}, {"Origin", "https://evil.example"}})),
      "403");
  EXPECT_EQ(Who(registry::Access({}), With({{"Host", "localhost"}, {"Origin", "null"}})), "403");
  EXPECT_EQ(
      Who(registry::Access({}), With({{"Host", "localhost"}, {"Origin", "http://localhost:3000"}})),
      "system:admin");
}

TEST(AccessTest, CrossSiteRequestsWithoutAnOriginAreForbidden) {
  const auto from = [](const char* site) {
    return Who(registry::Access({}), With({{"Host", "localhost"}, {"Sec-Fetch-Site", site}}));
  };
  EXPECT_EQ(from("cross-site"), "403");
  EXPECT_EQ(from("same-origin"), "system:admin");
  EXPECT_EQ(from("none"), "system:admin");  // A typed address.
}

TEST(AccessTest, RequiresAConfiguredToken) {
  const registry::Access access(WithToken());
  EXPECT_EQ(Who(access, With({{"Authorization", "Bearer secret"}})), "alice");
  EXPECT_EQ(Who(access, With({{"authorization", "bearer secret"}})), "alice");
  EXPECT_EQ(Who(access, With({{"Authorization", "Bearer secre"}})), "401");
  EXPECT_EQ(Who(access, With({{"Authorization", "Bearer secrets"}})), "401");
  EXPECT_EQ(Who(access, With({{"Authorization", "Basic secret"}})), "401");
  EXPECT_EQ(Who(access, With({{"Authorization", "Bearer "}})), "401");
  EXPECT_EQ(Who(access, With({})), "401");
}

TEST(AccessTest, ClientCertificatesIdentifyTheUser) {
  net::ServerRequest request;
  request.peer.common_name = "carol";
  request.peer.organizations = {"ops"};
  const registry::Access access({.client_certificates = true});
  const auto user = Authenticate(access, request);
  ASSERT_TRUE(user);
  EXPECT_EQ(user->name, "carol");
  EXPECT_EQ(user->groups, (std::vector<std::string>{"ops", "system:authenticated"}));
  EXPECT_EQ(Who(access, {}), "401");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
