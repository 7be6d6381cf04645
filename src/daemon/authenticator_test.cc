#include "daemon/authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include "client/rest_client_testing.h"
#include "net/certificates.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;

std::string DerOf(const std::string& pem) {
  BIO* const bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* const certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate, &bytes);
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  X509_free(certificate);
  BIO_free(bio);
  return der;
}

constexpr const char* kJane =
    R"({"status":{"authenticated":true,"user":{"username":"jane","uid":"7","groups":["dev"],)"
    R"("extra":{"scopes":["a","b"]}}}})";

class AuthenticatorTest : public testing::Test {
 protected:
  // Returns "name [group group]", or the error in parentheses.
  std::string UserOf(net::ServerRequest request) {
    if (!authenticator_) {
      api_.responder = [this](const client::FakeRequest&) { return Next(); };
      trust_.emplace(flags_, [this](const std::string& path) { return Read(path); }, client());
      std::string problem = "no call";
      trust_->Refresh(
          [&](const Status& status) { problem = status ? "" : status.error().message; });
      api_.executor.Run();
      refresh_problem_ = problem;
      authenticator_.emplace(*trust_, client(), api_.executor, Duration::Seconds(10));
    }
    std::string outcome = "nothing";
    authenticator_->Authenticate(request, tokens_, [&](const auto& user) {
      outcome = user ? user->name : "(" + user.error().message + ")";
      if (!user) return;
      last_ = *user;
      outcome += " [";
      for (const std::string& group : user->groups)
        outcome += outcome.back() == '[' ? group : " " + group;
      outcome += "]";
    });
    api_.executor.Run();
    // The time of all retries.
    if (outcome == "nothing") api_.executor.Advance(Duration::Seconds(10));
    return outcome;
  }

  client::RestClient* client() { return has_api_ ? &api_.client() : nullptr; }

  // Adds the response to a request; the last one is repeated.
  void Respond(int status, std::string body) {
    responses_.push_back(client::FakeApiServer::Response(status, std::move(body)));
  }

  Result<std::string> Read(const std::string& path) {
    if (path == "clients.crt") return clients_.certificate;
    if (path == "proxies.crt") return proxies_.certificate;
    if (path == "empty.crt") return std::string();
    return Fail("open " + path + ": no such file or directory");
  }

  static net::ServerRequest WithToken(const std::string& value) {
    net::ServerRequest request;
    request.method = "GET";
    request.target = "/metrics";
    if (!value.empty()) request.headers.push_back({"Authorization", value});
    return request;
  }

  net::ServerRequest WithCertificate(const net::KeyPair& authority, const std::string& name,
                                     std::vector<net::HttpHeader> headers = {}) {
    const auto pair = net::IssueClientCertificate(authority, name, {"team"});
    net::ServerRequest request = WithToken("");
    request.headers = std::move(headers);
    request.peer.certificates =
        std::make_shared<std::vector<std::string>>(1, DerOf(pair->certificate));
    return request;
  }

  const net::KeyPair clients_ = *net::MakeCertificateAuthority("clients");
  const net::KeyPair proxies_ = *net::MakeCertificateAuthority("proxies");
  AuthenticationFlags flags_;
  client::FakeApiServer api_;
  Authenticator::Tokens tokens_ = Authenticator::Tokens::kReviewed;
  bool has_api_ = true;
  std::optional<ClientTrust> trust_;
  std::optional<Authenticator> authenticator_;
  User last_;
  std::string refresh_problem_;

 private:
  net::HttpResult<net::HttpResponse> Next() {
    if (responses_.empty()) return client::FakeApiServer::Response(404, "{}");
    auto response = responses_.front();
    if (responses_.size() > 1) responses_.pop_front();
    return response;
  }

 protected:
  std::deque<net::HttpResult<net::HttpResponse>> responses_;
};

TEST_F(AuthenticatorTest, UsersWithoutCredentialsAreAnonymous) {
  EXPECT_EQ(UserOf(WithToken("")), "system:anonymous [system:unauthenticated]");
  EXPECT_EQ(UserOf(WithToken("Basic abc")), "system:anonymous [system:unauthenticated]");
  EXPECT_EQ(UserOf(WithToken("Bearer ")), "system:anonymous [system:unauthenticated]");
}

TEST_F(AuthenticatorTest, TokensAreReviewedAndRemembered) {
  flags_.skip_lookup = true;
  Respond(201, kJane);
  EXPECT_EQ(UserOf(WithToken("Bearer secret")), "jane [dev system:authenticated]");
  EXPECT_EQ(last_.uid, "7");
  EXPECT_THAT(last_.extra.at("scopes"), ElementsAre("a", "b"));
  ASSERT_EQ(api_.requests.size(), 1U);
  EXPECT_EQ(api_.requests[0].method, "POST");
  EXPECT_EQ(api_.requests[0].path, "/apis/authentication.k8s.io/v1/tokenreviews");
  EXPECT_EQ(api_.requests[0].body,
            R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
            R"("spec":{"token":"secret"},"status":{}})");
  api_.executor.Advance(Duration::Seconds(9));
  EXPECT_EQ(UserOf(WithToken("bearer secret")), "jane [dev system:authenticated]");
  EXPECT_EQ(api_.requests.size(), 1U);
  api_.executor.Advance(Duration::Seconds(2));
  UserOf(WithToken("Bearer secret"));
  EXPECT_EQ(api_.requests.size(), 2U);
}

TEST_F(AuthenticatorTest, TokensMayBeIgnored) {
  flags_.skip_lookup = true;
  tokens_ = Authenticator::Tokens::kIgnored;
  EXPECT_EQ(UserOf(WithToken("Bearer t")), "system:anonymous [system:unauthenticated]");
  EXPECT_EQ(api_.requests.size(), 0U);
}

TEST_F(AuthenticatorTest, InvalidTokensAreRefusedAndRemembered) {
  flags_.skip_lookup = true;
  Respond(201, R"({"status":{"error":"expired"}})");
  EXPECT_EQ(UserOf(WithToken("Bearer old")), "(invalid bearer token)");
  EXPECT_EQ(UserOf(WithToken("Bearer old")), "(invalid bearer token)");
  EXPECT_EQ(api_.requests.size(), 1U);
}

TEST_F(AuthenticatorTest, AReviewThatFailsIsTriedAgainAndNotRemembered) {
  flags_.skip_lookup = true;
  responses_ = {
      std::unexpected(net::HttpError{net::HttpError::Kind::kUnreachable, "connection refused"})};
  EXPECT_EQ(UserOf(WithToken("Bearer t")), "(connection refused)");
  EXPECT_EQ(api_.requests.size(), 5U);
  std::vector<Duration> delays;
  for (size_t i = 1; i < 5; ++i) {
    delays.push_back(api_.requests[i].sent - api_.requests[i - 1].sent);
  }
  EXPECT_THAT(delays, ElementsAre(Duration::Millis(500), Duration::Millis(750),
                                  Duration::Millis(1125), Duration{1'687'500'000}));
  Respond(201, kJane);
  Respond(201, kJane);
  EXPECT_EQ(UserOf(WithToken("Bearer t")), "jane [dev system:authenticated]");
}

TEST_F(AuthenticatorTest, ARefusedReviewIsNotTriedAgain) {
  flags_.skip_lookup = true;
  Respond(403, R"({"message":"tokenreviews is forbidden"})");
  EXPECT_THAT(UserOf(WithToken("Bearer t")), HasSubstr("answered 403: tokenreviews is forbidden"));
  EXPECT_EQ(api_.requests.size(), 1U);
}

TEST_F(AuthenticatorTest, WithoutAnApiServerTokensAreNotLookedAt) {
  has_api_ = false;
  EXPECT_EQ(UserOf(WithToken("Bearer t")), "system:anonymous [system:unauthenticated]");
}

TEST_F(AuthenticatorTest, ClientCertificatesNameUsers) {
  flags_.client_ca_file = "clients.crt";
  flags_.skip_lookup = true;
  EXPECT_EQ(UserOf(WithCertificate(clients_, "joe")), "joe [team system:authenticated]");
  EXPECT_THAT(UserOf(WithCertificate(proxies_, "joe")), testing::StartsWith("(x509: "));
}

TEST_F(AuthenticatorTest, FrontProxiesNameUsersByHeaders) {
  flags_.client_ca_file = "clients.crt";
  flags_.request_header.client_ca_file = "proxies.crt";
  flags_.request_header.allowed_names = {"front"};
  flags_.request_header.uid_headers = {"X-Remote-Uid"};
  const std::vector<net::HttpHeader> headers = {{"X-Remote-User", "ann"},
                                                {"x-remote-group", "g1"},
                                                {"X-Remote-Group", "g2"},
                                                {"X-Remote-Uid", "9"},
                                                {"X-Remote-Extra-A%2FB", "c"}};
  EXPECT_EQ(UserOf(WithCertificate(proxies_, "front", headers)),
            "ann [g1 g2 system:authenticated]");
  EXPECT_EQ(last_.uid, "9");
  EXPECT_THAT(last_.extra, ElementsAre(testing::Pair("a/b", ElementsAre("c"))));
  EXPECT_EQ(UserOf(WithCertificate(clients_, "joe", headers)), "joe [team system:authenticated]");
  EXPECT_THAT(UserOf(WithCertificate(proxies_, "other", headers)), testing::StartsWith("(x509: "));
  EXPECT_EQ(UserOf(WithToken("")), "system:anonymous [system:unauthenticated]");
}

TEST_F(AuthenticatorTest, WhatFlagsLeaveOutIsLookedUp) {
  std::string client_pem = clients_.certificate;
  std::string proxy_pem = proxies_.certificate;
  const auto escape = [](std::string text) {
    for (size_t at = 0; (at = text.find('\n', at)) != text.npos;) text.replace(at, 1, "\\n");
    return text;
  };
  Respond(200, R"({"data":{"client-ca-file":")" + escape(client_pem) +
                   R"(","requestheader-client-ca-file":")" + escape(proxy_pem) +
                   R"(","requestheader-allowed-names":"[\"front\"]",)"
                   R"("requestheader-username-headers":"[\"X-Who\"]"}})");
  EXPECT_EQ(UserOf(WithCertificate(clients_, "joe")), "joe [team system:authenticated]");
  EXPECT_EQ(refresh_problem_, "");
  EXPECT_EQ(api_.requests[0].path,
            "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
  EXPECT_EQ(UserOf(WithCertificate(proxies_, "front", {{"X-Who", "ann"}})),
            "ann [system:authenticated]");
}

TEST_F(AuthenticatorTest, AFailedLookupLeavesAllUsersAnonymous) {
  Respond(403, "{}");
  EXPECT_EQ(UserOf(WithCertificate(clients_, "joe")), "system:anonymous [system:unauthenticated]");
  EXPECT_THAT(refresh_problem_, HasSubstr("answered 403"));
}

TEST_F(AuthenticatorTest, AFileWithoutCertificatesIsAProblem) {
  flags_.client_ca_file = "empty.crt";
  UserOf(WithToken(""));
  EXPECT_EQ(refresh_problem_,
            "unable to load client CA provider: empty.crt has no PEM certificate");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
