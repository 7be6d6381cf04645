#include "daemon/secure_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>

#include "client/rest_client.h"
#include "daemon/endpoint_responses.h"
#include "daemon/serving_tls.h"
#include "net/certificates.h"
#include "testing/await.h"
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

// An API server on a loop of its own, since the HTTPS server's threads call it. It has a response
// for each request; the last one is repeated.
class ScriptedApi {
 public:
  ScriptedApi() { loop.Start(); }

  void Respond(int status, std::string body) {
    responses_.push_back({.status = status, .headers = {}, .body = std::move(body)});
  }
  client::RestClient* client() { return client_.get(); }

  net::EventLoop loop;
  std::vector<net::ClientRequest> requests;  // On the loop, while one is pending.
  std::atomic<bool> silent = false;          // No more responses.
  std::atomic<size_t> sent = 0;
  std::atomic<size_t> cancelled = 0;

 private:
  class Http final : public net::HttpClient {
   public:
    explicit Http(ScriptedApi& api) : api_(api) {}
    RequestId Send(net::ClientRequest request, Callback callback) override {
      api_.requests.push_back(std::move(request));
      ++api_.sent;
      if (api_.silent) return api_.requests.size();
      api_.loop.Post([this, callback = std::move(callback)] { callback(api_.Next()); });
      return api_.requests.size();
    }
    RequestId Open(net::ClientRequest, net::ResponseStream) override { return 0; }
    Result<void> UseTls(net::TlsOptions) override { return {}; }
    void Cancel(RequestId) override { ++api_.cancelled; }

   private:
    ScriptedApi& api_;
  };

  net::HttpResponse Next() {
    if (responses_.empty()) return {.status = 404, .headers = {}, .body = "{}"};
    net::HttpResponse response = responses_.front();
    if (responses_.size() > 1) responses_.pop_front();
    return response;
  }
  std::unique_ptr<client::RestClient> MakeClient() {
    client::ClientConfig config;
    config.server = "https://h";
    config.qps = -1;
    return *client::RestClient::CreateOn(loop, std::make_unique<Http>(*this), std::move(config));
  }

  std::deque<net::HttpResponse> responses_;
  std::unique_ptr<client::RestClient> client_ = MakeClient();
};

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
    access_.emplace(flags_, ReviewClients{api_.client(), api_.client()}, api_.loop, ReadFile);
    const Status status = Prepare(*access_);
    ASSERT_TRUE(status.has_value()) << status.error().message;
    auto server = SecureServer::Start(flags_.serving, *access_, endpoints_);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    server_ = *std::move(server);
  }

  static Status Prepare(DelegatedAccess& access) {
    std::promise<Status> prepared;
    access.Prepare([&](Status status) { prepared.set_value(std::move(status)); });
    return Await(prepared);
  }

  // Returns the whole response to a request.
  std::string Fetch(const std::string& path, const std::string& headers = "",
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
  Endpoints endpoints_;
  std::optional<DelegatedAccess> access_;
  ScriptedApi api_;  // Calls access_ back.
  std::unique_ptr<SecureServer> server_;
};

TEST_F(SecureServerTest, HealthIsPublicAndMetricsAreNot) {
  api_.Respond(201, R"({"status":{"allowed":false}})");
  Start();
  EXPECT_THAT(Fetch("/healthz"), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\nok"),
                                       HasSubstr("Cache-Control: no-cache, private\r\n")));
  EXPECT_THAT(Fetch("/metrics"),
              AllOf(StartsWith("HTTP/1.1 403 "),
                    HasSubstr("forbidden: User \\\"system:anonymous\\\" cannot get path "
                              "\\\"/metrics\\\"")));
}

TEST_F(SecureServerTest, TheApiIsBehindTheSameAccess) {
  endpoints_.HandleExchanges(kApiPrefix, [](const std::shared_ptr<net::Exchange>& exchange) {
    exchange->Respond(PlainResponse(200, "api " + exchange->request().target));
  });
  api_.Respond(201, R"({"status":{"allowed":false}})");
  Start();
  EXPECT_THAT(Fetch("/berth/v1/pods?limit=1"),
              AllOf(StartsWith("HTTP/1.1 403 "), HasSubstr("cannot get path "
                                                           "\\\"/berth/v1/pods\\\"")));
  const auto admin = net::IssueClientCertificate(authority_, "root", {"system:masters"});
  EXPECT_THAT(Fetch("/berth/v1/pods?limit=1", "", *admin), EndsWith("api /berth/v1/pods?limit=1"));
  EXPECT_THAT(Fetch("/berth/v2/pods", "", *admin), StartsWith("HTTP/1.1 404 "));
}

// Without a review, both are handled on the thread of the connection.
TEST_F(SecureServerTest, HealthChecksDoNotWaitForSlowRequests) {
  flags_.authorization.always_allow_paths = {"/healthz", "/metrics/resources"};
  std::promise<void> healthy;
  endpoints_.HandleSlowly("/metrics/resources", [&](const net::ServerRequest&) {
    Await(healthy);
    return PlainResponse(200, "r 1");
  });
  Start();
  TlsClient slow(server_->port(),
                 {.authority = authority_.certificate, .own = {}, .protocols = kHttp1});
  slow.Send("GET /metrics/resources HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(Fetch("/healthz"), EndsWith("\r\n\r\nok"));
  healthy.set_value();
  EXPECT_THAT(slow.ReadAll(), EndsWith("\r\n\r\nr 1"));
}

TEST_F(SecureServerTest, ClientsAreKnownByCertificatesAndTokens) {
  api_.Respond(201, R"({"status":{"authenticated":true,"user":{"username":"jane"}}})");
  api_.Respond(201, R"({"status":{"allowed":true}})");
  api_.Respond(201, R"({"status":{}})");
  Start();
  EXPECT_THAT(Fetch("/metrics", "Authorization: Bearer t\r\n"), EndsWith("m 1"));
  EXPECT_THAT(api_.requests[1].body, HasSubstr("\"user\":\"jane\""));
  const auto admin = net::IssueClientCertificate(authority_, "root", {"system:masters"});
  EXPECT_THAT(Fetch("/metrics", "", *admin), EndsWith("m 1"));
  EXPECT_THAT(Fetch("/metrics", "Authorization: Bearer other\r\n"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(SecureServerTest, CertificatesOfStrangersAreRefusedPolitely) {
  Start();
  const auto stranger = net::MakeCertificateAuthority("stranger");
  const auto pair = net::IssueClientCertificate(*stranger, "root", {"system:masters"});
  EXPECT_THAT(Fetch("/healthz", "", *pair), StartsWith("HTTP/1.1 401 "));
}

TEST_F(SecureServerTest, LargeRequestsOfStrangersAreRejected) {
  Start();
  EXPECT_THAT(Fetch("/healthz", "X: " + std::string(20'000, 'x') + "\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Fetch("/healthz", "Content-Length: 5000\r\n"), StartsWith("HTTP/1.1 413 "));
}

TEST_F(SecureServerTest, ProbesDoNotWaitForReviews) {
  api_.silent = true;
  Start();
  EXPECT_THAT(Fetch("/healthz", "Authorization: Bearer t\r\n"), EndsWith("\r\n\r\nok"));
  EXPECT_EQ(api_.sent, 0U);
}

TEST_F(SecureServerTest, BogusTokensDoNotDelayAKnownOne) {
  api_.Respond(201, R"({"status":{"authenticated":true,"user":{"username":"jane"}}})");
  api_.Respond(201, R"({"status":{"allowed":true}})");
  Start();
  EXPECT_THAT(Fetch("/metrics", "Authorization: Bearer t\r\n"), EndsWith("m 1"));
  const size_t before = api_.sent;
  api_.silent = true;
  std::vector<std::unique_ptr<TlsClient>> strangers;
  for (int i = 0; i < 20; ++i) {
    strangers.push_back(std::make_unique<TlsClient>(
        server_->port(),
        TlsClientOptions{.authority = authority_.certificate, .own = {}, .protocols = kHttp1}));
    strangers.back()->Send("GET /metrics HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer bogus" +
                           std::to_string(i) + "\r\n\r\n");
  }
  EXPECT_THAT(Fetch("/metrics", "Authorization: Bearer t\r\n"), EndsWith("m 1"));
  EXPECT_TRUE(Await([&] { return api_.sent > before; }));
  // One address has only some of the reviews in flight.
  EXPECT_LE(api_.sent - before, ReviewLimits().in_flight_per_address);
  strangers.clear();
  // Reviews end with the connections that they are for.
  EXPECT_TRUE(Await([&] { return api_.cancelled == api_.sent - before; }));
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

TEST_F(SecureServerTest, APortInUseIsAnError) {
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
  const auto set_note = [&](const std::string& text) { note = text; };
  const auto made = ServingTls(flags, set_note);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_THAT(note, StartsWith("Generated self-signed cert ("));
  const std::string key_file = flags.cert_dir + "/kube-scheduler.key";
  const auto permissions = std::filesystem::status(key_file).permissions();
  EXPECT_EQ(permissions, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  note.clear();
  ASSERT_TRUE(ServingTls(flags, set_note).has_value());
  EXPECT_EQ(note, "");
  std::filesystem::remove(key_file);
  EXPECT_THAT(ServingTls(flags, set_note).error().message, EndsWith("kube-scheduler.key is not"));
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
  api_.Respond(403, "{}");
  const auto prepare = [this] {
    DelegatedAccess access(flags_, {api_.client(), api_.client()}, api_.loop, ReadFile);
    const Status status = Prepare(access);
    return status ? "" : status.error().message;
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
  const DelegatedAccess access(flags, {}, api_.loop, ReadFile);
  EXPECT_EQ(access.warnings().size(), 3U);
}

TEST_F(SecureServerTest, AHandlerThatThrowsIsA500AndNothingElse) {
  const auto throws = [](const net::ServerRequest&) -> net::ServerResponse {
    throw std::runtime_error("out of memory");
  };
  endpoints_.Handle("/livez", throws);
  endpoints_.HandleSlowly("/readyz", throws);
  Start();
  testing::internal::CaptureStderr();
  EXPECT_THAT(Fetch("/livez"), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Fetch("/readyz"), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Fetch("/healthz"), EndsWith("\r\n\r\nok")) << "it still serves";
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, AllOf(HasSubstr("A request could not be answered"), HasSubstr("out of memory"),
                         HasSubstr("path=\"/livez\"")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
