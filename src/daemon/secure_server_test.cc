#include "daemon/secure_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemon/endpoint_responses.h"
#include "daemon/review_testing.h"
#include "daemon/serving_tls.h"
#include "net/certificates.h"
#include "testing/temporary_directory.h"
#include "testing/tls_client.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kHttp1 = "\x08http/1.1";
const std::string kBoth = "\x02h2\x08http/1.1";

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

class SecureServerTest : public testing::Test {
 protected:
  SecureServerTest() {
    own_ = *net::IssueServerCertificate(authority_, {"berth.example.com"});
    WriteText(folder_.path("own.crt"), own_.certificate);
    WriteText(folder_.path("own.key"), own_.key);
    WriteText(folder_.path("ca.crt"), authority_.certificate);
    flags_.serving.bind_address = "127.0.0.1";
    flags_.serving.secure_port = 0;
    flags_.serving.tls_cert_file = folder_.path("own.crt");
    flags_.serving.tls_private_key_file = folder_.path("own.key");
    flags_.authentication.client_ca_file = folder_.path("ca.crt");
    flags_.authentication.skip_lookup = true;
    endpoints_.Handle("/healthz",
                      [](const net::ServerRequest&) { return PlainResponse(200, "ok"); });
    endpoints_.Handle("/metrics",
                      [](const net::ServerRequest&) { return PlainResponse(200, "m 1"); });
  }
  ~SecureServerTest() override { server_.reset(); }

  void Start() {
    access_.emplace(flags_, ReviewApis{&api_, &api_}, timer_.later(), clock_, ReadFile);
    Status status = Fail("not called");
    access_->Prepare([&](const Status& result) { status = result; });
    ASSERT_TRUE(status.has_value()) << status.error().message;
    auto server = SecureServer::Start(flags_.serving, *access_, endpoints_);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    server_ = *std::move(server);
  }

  // The whole answer.
  std::string Ask(const std::string& path, const std::string& headers = "",
                  const net::KeyPair& own = {}) {
    TlsClient client(server_->port(), {.authority = authority_.certificate,
                                       .own = {own.certificate, own.key},
                                       .protocols = kHttp1});
    EXPECT_EQ(client.problem(), "");
    client.Send("GET " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" + headers + "\r\n");
    return client.ReadAll();
  }

  const net::KeyPair authority_ = *net::MakeCertificateAuthority("test");
  net::KeyPair own_;
  const TemporaryDirectory folder_;
  DaemonFlags flags_;
  FakeApi api_;
  FakeTimer timer_;
  SimClock clock_;
  Endpoints endpoints_;
  std::optional<DelegatedAccess> access_;
  std::unique_ptr<SecureServer> server_;
};

TEST_F(SecureServerTest, HealthIsForEverybodyAndMetricsAreNot) {
  api_.Answer(201, R"({"status":{"allowed":false}})");
  Start();
  EXPECT_THAT(Ask("/healthz"), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\nok"),
                                     HasSubstr("Cache-Control: no-cache, private\r\n")));
  EXPECT_THAT(Ask("/metrics"),
              AllOf(StartsWith("HTTP/1.1 403 "),
                    HasSubstr("forbidden: User \\\"system:anonymous\\\" cannot get path "
                              "\\\"/metrics\\\"")));
}

TEST_F(SecureServerTest, ClientsAreKnownByCertificatesAndTokens) {
  api_.Answer(201, R"({"status":{"authenticated":true,"user":{"username":"jane"}}})");
  api_.Answer(201, R"({"status":{"allowed":true}})");
  api_.Answer(201, R"({"status":{}})");
  Start();
  EXPECT_THAT(Ask("/metrics", "Authorization: Bearer t\r\n"), EndsWith("m 1"));
  EXPECT_THAT(api_.requests[1].body, HasSubstr("\"user\":\"jane\""));
  const auto admin = net::IssueClientCertificate(authority_, "root", {"system:masters"});
  EXPECT_THAT(Ask("/metrics", "", *admin), EndsWith("m 1"));
  EXPECT_THAT(Ask("/metrics", "Authorization: Bearer other\r\n"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(SecureServerTest, CertificatesOfStrangersAreRefusedPolitely) {
  Start();
  const auto stranger = net::MakeCertificateAuthority("stranger");
  const auto pair = net::IssueClientCertificate(*stranger, "root", {"system:masters"});
  EXPECT_THAT(Ask("/healthz", "", *pair), StartsWith("HTTP/1.1 401 "));
}

TEST_F(SecureServerTest, ServingCertificatesAreReadAgain) {
  Start();
  const auto other = net::MakeCertificateAuthority("other");
  const auto pair = net::IssueServerCertificate(*other, {});
  WriteText(folder_.path("own.crt"), pair->certificate);
  WriteText(folder_.path("own.key"), pair->key);
  server_->Refresh();
  TlsClient client(server_->port(),
                   {.authority = other->certificate, .own = {}, .protocols = kHttp1});
  EXPECT_EQ(client.problem(), "");
  WriteText(folder_.path("own.key"), "broken");
  server_->Refresh();
  TlsClient again(server_->port(),
                  {.authority = other->certificate, .own = {}, .protocols = kHttp1});
  EXPECT_EQ(again.problem(), "");
}

TEST_F(SecureServerTest, Http2IsOfferedUnlessItIsSwitchedOff) {
  Start();
  const TlsClientOptions options = {
      .authority = authority_.certificate, .own = {}, .protocols = kBoth};
  EXPECT_EQ(TlsClient(server_->port(), options).protocol(), "h2");
  server_.reset();
  flags_.serving.disable_http2 = true;
  Start();
  EXPECT_EQ(TlsClient(server_->port(), options).protocol(), "http/1.1");
}

TEST_F(SecureServerTest, APortThatIsTakenIsTold) {
  Start();
  ServingFlags taken = flags_.serving;
  taken.secure_port = server_->port();
  const auto server = SecureServer::Start(taken, *access_, endpoints_);
  ASSERT_FALSE(server.has_value());
  EXPECT_THAT(server.error().message, StartsWith("failed to create listener: "));
}

TEST_F(SecureServerTest, AMissingPairIsMadeInTheDirectory) {
  ServingFlags flags;
  flags.cert_dir = folder_.path("made");
  std::string note;
  const auto tell = [&](const std::string& text) { note = text; };
  const auto made = ServingTls(flags, tell);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_THAT(note, StartsWith("Generated self-signed cert ("));
  const std::string key_file = flags.cert_dir + "/kube-scheduler.key";
  const auto permissions = std::filesystem::status(key_file).permissions();
  EXPECT_EQ(permissions, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  note.clear();
  ASSERT_TRUE(ServingTls(flags, tell).has_value());
  EXPECT_EQ(note, "");
  std::filesystem::remove(key_file);
  EXPECT_THAT(ServingTls(flags, tell).error().message, EndsWith("kube-scheduler.key is not"));
}

TEST_F(SecureServerTest, WithoutAnyPairOneIsMadeInMemory) {
  ServingFlags flags;
  std::string note;
  const auto made = ServingTls(flags, [&](const std::string& text) { note = text; });
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(note, "Generated self-signed cert in-memory");
  EXPECT_TRUE(net::ServerTls::Create(*made).has_value());
}

TEST_F(SecureServerTest, ALookupThatFailsIsToleratedOrNot) {
  flags_.authentication.skip_lookup = false;
  api_.Answer(403, "{}");
  const auto prepare = [this] {
    DelegatedAccess access(flags_, {&api_, &api_}, timer_.later(), clock_, ReadFile);
    std::string problem = "not called";
    access.Prepare([&](const Status& status) { problem = status ? "" : status.error().message; });
    return problem;
  };
  EXPECT_EQ(prepare(), "");
  flags_.authentication.tolerate_lookup_failure = false;
  EXPECT_THAT(prepare(),
              StartsWith("unable to load configmap based request-header-client-ca-file: "));
  flags_.authentication.tolerate_lookup_failure = true;
  flags_.authentication.client_ca_file = folder_.path("missing.crt");
  EXPECT_THAT(prepare(), StartsWith("unable to load client CA provider: open "));
}

TEST_F(SecureServerTest, WhatIsNotConfiguredIsAWarning) {
  DaemonFlags flags;
  const DelegatedAccess access(flags, {}, timer_.later(), clock_, ReadFile);
  EXPECT_EQ(access.warnings().size(), 3U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
