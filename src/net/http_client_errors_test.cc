// Tests of the kinds of errors of HttpClient, and of certificates that change at run time.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "net/http_client.h"
#include "testing/fake_http_server.h"
#include "testing/http_peer.h"
#include "testing/http_requests.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

FakeResponse Target(const ReceivedRequest& request) { return {.body = request.target}; }

class HttpClientErrorsTest : public testing::Test {
 protected:
  HttpClientErrorsTest() { loop_.Start(); }

  std::unique_ptr<HttpClient> Client(HttpClientOptions options = {}) {
    return HttpClient::Create(loop_, std::move(options)).value();
  }
  berth::ServerTls Tls(const Certificate& authority) {
    return {MakeCertificate(authority, "s", "IP:127.0.0.1"), ""};
  }

  EventLoop loop_;
  const Certificate authority_ = MakeAuthority("ours");
  const Certificate stranger_ = MakeAuthority("another");
};

TEST_F(HttpClientErrorsTest, HaveTheirKind) {
  FakeHttpServer silent([](const ReceivedRequest&) { return FakeResponse{.none = true}; });
  FakeHttpServer cut([](const ReceivedRequest&) { return FakeResponse{.raw = "HTTP/1.1 200"}; });
  FakeHttpServer strange(Target, Tls(stranger_));
  berth::ServerTls asks = Tls(authority_);
  asks.client_authority = authority_.certificate;
  FakeHttpServer asking(Target, asks);
  const auto client = Client({.tls = {.ca_data = authority_.certificate}});
  const std::string long_name(80, 'x');
  const struct {
    std::string url;
    Duration timeout;
    std::string want;
  } cases[] = {
      {HttpPeers().url(), {}, "unreachable: connection refused"},
      {silent.url(), Duration::Millis(20), "timeout: no answer within 20ms"},
      {cut.url(), {}, "broken: the server closed the connection before the answer was complete"},
      {strange.url(),
       {},
       "tls: TLS: certificate verify failed (unable to get local issuer certificate)"},
      {asking.url(), {}, "tls: TLS: tlsv13 alert certificate required"},
  };
  for (const auto& c : cases) {
    const ClientRequest request{.url = c.url, .timeout = c.timeout};
    EXPECT_EQ(Summary(SendRequest(*client, request).get()), c.want);
  }
  const auto nobody = Get(*client, "http://" + std::string(80, 'x') + "/").get();
  EXPECT_EQ(KindOf(nobody.error()), "unreachable");
}

TEST_F(HttpClientErrorsTest, InvalidRequestsAreNotSent) {
  const struct {
    ClientRequest request;
    const char* want;
  } cases[] = {
      {{.method = "GET", .url = "nowhere"},
       R"(GET nowhere: URL "nowhere": it must begin with http:// or https://)"},
      {{.method = "A B", .url = "http://h"}, R"(A B http://h: "A B" is not an HTTP method)"},
      {{.method = "GET", .url = "http://h", .headers = {{"a:", "b"}}},
       R"(GET http://h: "a:" is not the name of an HTTP header)"},
      {{.method = "GET", .url = "http://h", .headers = {{"Authorization", "Bearer x\n"}}},
       "GET http://h: the header Authorization has characters that cannot be sent"},
  };
  const auto client = Client();
  for (const auto& c : cases) {
    const auto result = SendRequest(*client, c.request).get();
    EXPECT_EQ(result.error().message, c.want);
    EXPECT_EQ(KindOf(result.error()), "unreachable");
  }
}

TEST_F(HttpClientErrorsTest, SendsAnyMethodOverHttp1) {
  HttpPeers peers;
  const auto client = Client();
  auto response = SendRequest(*client, {.method = "DELETE", .url = peers.url() + "/x"});
  const auto peer = peers.Accept();
  const std::string head = peer->ReadUntil("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("DELETE /x HTTP/1.1\r\nHost: 127.0.0.1:")) << head;
  EXPECT_EQ(head.find("Content-Length"), head.npos);
  peer->Send("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(Summary(response.get()), "204 ");
  auto next = SendRequest(*client, {.method = "HEAD", .url = peers.url() + "/y"});
  peer->ReadUntil("HEAD /y HTTP/1.1\r\n");
  peer->Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(Summary(next.get()), "200 ");
}

TEST_F(HttpClientErrorsTest, StreamsOverHttp1) {
  HttpPeers peers;
  const auto client = Client();
  const auto log = OpenStream(*client, peers.url());
  const auto peer = peers.Accept();
  peer->ReadUntil("\r\n\r\n");
  peer->Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  log->Await("200 ");
  peer->Send("6\r\nab");
  log->Await("200 ab");
  // Incomplete chunks are passed on.
  peer->Send("c");
  log->Await("200 abc");
  peer->Send("def\r\n");
  log->Await("200 abcdef");
  peer->Send("1\r\ng\r\n0\r\n\r\n");
  log->Await("200 abcdefg|end");

  const auto cut = OpenStream(*client, peers.url());
  peer->ReadUntil("\r\n\r\n");
  peer->Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
  cut->Await("200 ab");
  peer->Close();
  cut->Await("200 ab|broken");
}

TEST_F(HttpClientErrorsTest, StreamsHaveATimeLimit) {
  HttpPeers peers;
  const auto client = Client();
  const auto log = std::make_shared<StreamLog>();
  client->Open({.url = peers.url(), .timeout = Duration::Millis(20)}, log->Callbacks());
  const auto peer = peers.Accept();
  log->Await("|timeout");
  EXPECT_TRUE(peer->WaitForClose());
}

TEST_F(HttpClientErrorsTest, UsesNewTlsOptionsForNewConnections) {
  FakeHttpServer first(Target, Tls(authority_));
  FakeHttpServer second(Target, Tls(stranger_));
  const auto client = Client({.tls = {.ca_data = authority_.certificate}});
  EXPECT_EQ(Summary(Get(*client, first.url() + "/1").get()), "200 /1");
  EXPECT_FALSE(client->UseTls({.ca_data = "nonsense"}).has_value());
  EXPECT_EQ(Summary(Get(*client, first.url() + "/2").get()), "200 /2");
  EXPECT_EQ(first.connections(), 1u);
  ASSERT_TRUE(client->UseTls({.ca_data = stranger_.certificate}).has_value());
  EXPECT_EQ(Summary(Get(*client, second.url() + "/3").get()), "200 /3");
  first.WaitForClosed(1);
  EXPECT_EQ(KindOf(Get(*client, first.url() + "/4").get().error()), "tls");
}

TEST_F(HttpClientErrorsTest, ReadsCertificatesAgainWhenTheyChange) {
  const std::string file = testing::TempDir() + "/http_client_errors_test_ca.pem";
  const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
  write(authority_.certificate);
  const auto client = Client({.tls = {.ca_file = file}});
  FakeHttpServer first(Target, Tls(authority_));
  EXPECT_EQ(Summary(Get(*client, first.url() + "/1").get()), "200 /1");
  write(stranger_.certificate + "\n");
  FakeHttpServer second(Target, Tls(stranger_));
  EXPECT_EQ(Summary(Get(*client, second.url() + "/2").get()), "200 /2");
  // An invalid file is ignored.
  write("nonsense");
  FakeHttpServer third(Target, Tls(stranger_));
  EXPECT_EQ(Summary(Get(*client, third.url() + "/3").get()), "200 /3");
  std::filesystem::remove(file);
  FakeHttpServer fourth(Target, Tls(stranger_));
  EXPECT_EQ(Summary(Get(*client, fourth.url() + "/4").get()), "200 /4");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
