// Tests of HttpClient with HTTP/2: against our own server, and against scripted peers that
// misbehave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "net/certificates.h"
#include "net/http_client.h"
#include "testing/fake_http_server.h"
#include "testing/http_handlers.h"
#include "testing/http_peer.h"
#include "testing/http_requests.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

constexpr uint32_t kProtocolError = 1;
constexpr uint32_t kInternalError = 2;
constexpr uint32_t kRefusedStream = 7;
constexpr uint32_t kCancel = 8;

class Http2ClientTest : public testing::Test {
 protected:
  Http2ClientTest() { loop_.Start(); }

  std::unique_ptr<HttpClient> Client(HttpClientOptions options = {}) {
    options.http2 = true;
    options.h2c = true;
    return HttpClient::Create(loop_, std::move(options)).value();
  }

  EventLoop loop_;
};

// --- with our own server ---

// Responds with the protocol and the request, "2 PUT /x 3 abc". HTTP/2 has header names in lower
// case.
void RespondWithProtocol(const std::shared_ptr<Exchange>& exchange) {
  const ServerRequest& request = exchange->request();
  const bool lower = std::ranges::any_of(
      request.headers, [](const HttpHeader& header) { return header.name == "user-agent"; });
  exchange->Respond(ServerResponse::Text(
      200, "text/plain",
      (lower ? "2 " : "1 ") + request.method + " " + request.target + " " +
          std::to_string(request.body.size()) + " " + request.body.substr(0, 20)));
}

TEST_F(Http2ClientTest, SendsAnyMethod) {
  const auto server = Serve(RespondWithProtocol);
  const std::string url = "http://127.0.0.1:" + std::to_string(server->port());
  const struct {
    const char* method;
    const char* path;
    std::string body;
    const char* want;
  } cases[] = {
      {"GET", "/a?b=c", "", "200 2 GET /a?b=c 0 "},
      {"DELETE", "/a", "", "200 2 DELETE /a 0 "},
      {"DELETE", "/a", "why", "200 2 DELETE /a 3 why"},
      {"POST", "/", "", "200 2 POST / 0 "},
      {"PATCH", "/x", "abc", "200 2 PATCH /x 3 abc"},
      {"PUT", "/x", std::string(2'000'000, 'y'), "200 2 PUT /x 2000000 yyyyyyyyyyyyyyyyyyyy"},
      {"HEAD", "/x", "", "200 "},
  };
  const auto client = Client();
  for (const auto& c : cases) {
    const ClientRequest request{.method = c.method, .url = url + c.path, .body = c.body};
    EXPECT_EQ(Summary(SendRequest(*client, request).get()), c.want) << c.method;
  }
}

TEST_F(Http2ClientTest, NegotiatesTheProtocolWithAlpn) {
  const KeyPair authority = MakeCertificateAuthority("a").value();
  const KeyPair own = IssueServerCertificate(authority, {}).value();
  const auto tls = ServerTls::Create({.cert_data = own.certificate, .key_data = own.key});
  const auto server = Serve(RespondWithProtocol, {.tls = tls.value()});
  const std::string url = "https://localhost:" + std::to_string(server->port()) + "/x";
  const TlsOptions trust{.ca_data = authority.certificate};
  const auto client = Client({.tls = trust});
  EXPECT_EQ(Summary(Get(*client, url).get()), "200 2 GET /x 0 ");
  const auto old = HttpClient::Create(loop_, {.tls = trust}).value();
  EXPECT_EQ(Summary(Get(*old, url).get()), "200 1 GET /x 0 ");
}

TEST_F(Http2ClientTest, UsesHttp1IfTheServerDoes) {
  const Certificate authority = MakeAuthority("a");
  berth::FakeHttpServer server(
      [](const ReceivedRequest& request) { return FakeResponse{.body = request.target}; },
      berth::ServerTls{MakeCertificate(authority, "s", "IP:127.0.0.1"), ""});
  const auto client = Client({.tls = {.ca_data = authority.certificate}});
  std::vector<HttpFuture> futures;
  for (int i = 0; i < 10; ++i) futures.push_back(Get(*client, server.url() + "/x"));
  for (auto& future : futures) EXPECT_EQ(Summary(future.get()), "200 /x");
}

TEST_F(Http2ClientTest, SendsManyRequestsAndReceivesLargeResponses) {
  const std::string large(20 << 20, 'z');
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Respond(ServerResponse::Text(
        200, "text/plain",
        exchange->request().target == "/large" ? large : exchange->request().target));
  });
  const std::string url = "http://127.0.0.1:" + std::to_string(server->port());
  const auto client = Client();
  auto response = Get(*client, url + "/large");
  std::vector<HttpFuture> futures;
  for (int i = 0; i < 1000; ++i) futures.push_back(Get(*client, url + "/" + std::to_string(i)));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(Summary(futures[static_cast<size_t>(i)].get()), "200 /" + std::to_string(i));
  }
  EXPECT_TRUE(response.get().value().body == large);
}

TEST_F(Http2ClientTest, DecompressesGzip) {
  const std::string large(1 << 20, 'z');
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Respond(ServerResponse::Text(200, "text/plain", large));
  });
  const std::string url = "http://127.0.0.1:" + std::to_string(server->port());
  const auto response = Get(*Client({.gzip = true}), url).get();
  EXPECT_TRUE(response->body == large);
  EXPECT_EQ(response->header("content-encoding"), "");
  EXPECT_EQ(response->header("vary"), "Accept-Encoding");
  EXPECT_EQ(Summary(Get(*Client({.max_body_bytes = 1000'000, .gzip = true}), url).get()),
            "broken: the answer is longer than 1000000 bytes");
}

TEST_F(Http2ClientTest, PassesStreamsOnAsTheyArrive) {
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().target != "/watch") return Echo(exchange);
    exchange->Stream({}, channel->Open(exchange));
  });
  const std::string url = "http://127.0.0.1:" + std::to_string(server->port());
  // The limit on complete responses does not apply to streams.
  const auto client = Client({.max_body_bytes = 100});
  HttpClient::RequestId id = 0;
  const auto log = OpenStream(*client, url + "/watch", &id);
  log->Await("200 ");
  channel->Write("one");
  log->Await("200 one");
  EXPECT_EQ(Summary(Get(*client, url + "/x").get()), "200 GET /x 0 ");
  channel->Write(std::string(200, '2'));
  log->Await("200 one" + std::string(200, '2'));
  client->Cancel(id);
  log->Await("200 one" + std::string(200, '2') + "|cancelled");
  EXPECT_TRUE(channel->WaitUntilGone());
  EXPECT_EQ(Summary(Get(*client, url + "/y").get()), "200 GET /y 0 ");
}

TEST_F(Http2ClientTest, StreamsEnd) {
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Stream({}, channel->Open(exchange));
  });
  const auto client = Client();
  const auto log = OpenStream(*client, "http://127.0.0.1:" + std::to_string(server->port()));
  log->Await("200 ");
  channel->Write("last");
  channel->End();
  log->Await("200 last|end");
}

// --- with peers that misbehave ---

TEST_F(Http2ClientTest, RespectsTheServersLimitOfStreams) {
  HttpPeers peers;
  const auto client = Client({.max_connections_per_host = 2});
  auto first = Get(*client, peers.url());
  const auto one = peers.Accept();
  one->Greet(1);
  EXPECT_EQ(one->AwaitRequest(), 1u);
  auto second = Get(*client, peers.url());
  const auto two = peers.Accept();
  two->Greet(1);
  EXPECT_EQ(two->AwaitRequest(), 1u);
  auto third = Get(*client, peers.url());
  two->Respond(1, "second");
  EXPECT_EQ(Summary(second.get()), "200 second");
  EXPECT_EQ(two->AwaitRequest(), 3u);
  two->Respond(3, "third");
  one->Respond(1, "first");
  EXPECT_EQ(Summary(first.get()), "200 first");
  EXPECT_EQ(Summary(third.get()), "200 third");
}

TEST_F(Http2ClientTest, ResendsRequestsThatTheServerDidNotProcessBeforeGoAway) {
  HttpPeers peers;
  const auto client = Client();
  auto first = Get(*client, peers.url());
  const auto old = peers.Accept();
  old->Greet();
  EXPECT_EQ(old->AwaitRequest(), 1u);
  auto second = Get(*client, peers.url());
  EXPECT_EQ(old->AwaitRequest(), 3u);
  old->GoAway(1);
  const auto next = peers.Accept();
  next->Greet();
  EXPECT_EQ(next->AwaitRequest(), 1u);
  next->Respond(1, "second");
  EXPECT_EQ(Summary(second.get()), "200 second");
  // The pending request completes, then the connection is closed.
  old->Respond(1, "first");
  EXPECT_EQ(Summary(first.get()), "200 first");
  EXPECT_TRUE(old->WaitForClose());
  auto third = Get(*client, peers.url());
  EXPECT_EQ(next->AwaitRequest(), 3u);
  next->Respond(3, "third");
  EXPECT_EQ(Summary(third.get()), "200 third");
}

TEST_F(Http2ClientTest, RefusedRequestsAreResentAFewTimes) {
  HttpPeers peers;
  const auto client = Client();
  auto response = Get(*client, peers.url());
  const auto peer = peers.Accept();
  peer->Greet();
  for (uint32_t stream = 1; stream <= 3; stream += 2) {
    EXPECT_EQ(peer->AwaitRequest(), stream);
    peer->Reset(stream, kRefusedStream);
  }
  EXPECT_EQ(peer->AwaitRequest(), 5u);
  peer->Respond(5, "at last");
  EXPECT_EQ(Summary(response.get()), "200 at last");

  auto never = Get(*client, peers.url());
  for (uint32_t stream = 7; stream <= 15; stream += 2) {
    EXPECT_EQ(peer->AwaitRequest(), stream);
    peer->Reset(stream, kRefusedStream);
  }
  EXPECT_EQ(Summary(never.get()), "unreachable: the server refused the request");
}

TEST_F(Http2ClientTest, AResetEndsOneRequest) {
  HttpPeers peers;
  const auto client = Client();
  auto first = Get(*client, peers.url());
  const auto peer = peers.Accept();
  peer->Greet();
  peer->AwaitRequest();
  auto second = Get(*client, peers.url());
  peer->AwaitRequest();
  peer->Reset(1, kInternalError);
  EXPECT_EQ(Summary(first.get()), "broken: the stream was reset: INTERNAL_ERROR");
  peer->Respond(3, "fine");
  EXPECT_EQ(Summary(second.get()), "200 fine");

  const auto log = OpenStream(*client, peers.url());
  EXPECT_EQ(peer->AwaitRequest(), 5u);
  peer->SendHead(5);
  peer->SendData(5, "some");
  log->Await("200 some");
  peer->Reset(5, kRefusedStream);
  log->Await("200 some|broken");
}

TEST_F(Http2ClientTest, CancelResetsTheStream) {
  HttpPeers peers;
  const auto client = Client();
  HttpClient::RequestId id = 0;
  auto first = SendRequest(*client, {.url = peers.url()}, &id);
  const auto peer = peers.Accept();
  peer->Greet();
  EXPECT_EQ(peer->AwaitRequest(), 1u);
  client->Cancel(id);
  EXPECT_EQ(Summary(first.get()), "cancelled: cancelled");
  const HttpFrame reset = peer->Await(HttpFrame::kReset);
  EXPECT_EQ(reset.stream, 1u);
  EXPECT_EQ(reset.payload, BigEndian(kCancel));
}

TEST_F(Http2ClientTest, ClosesConnectionsThatDoNotAcknowledgePings) {
  HttpPeers peers;
  const auto client =
      Client({.ping_after = Duration::Millis(1), .ping_timeout = Duration::Millis(20)});
  auto response = Get(*client, peers.url());
  const auto peer = peers.Accept();
  peer->Greet();
  peer->AwaitRequest();
  peer->Await(HttpFrame::kPing);
  EXPECT_EQ(Summary(response.get()), "broken: the server did not answer a ping within 20ms");
  EXPECT_TRUE(peer->WaitForClose());
}

TEST_F(Http2ClientTest, RetainsConnectionsThatAcknowledgePings) {
  HttpPeers peers;
  const auto client =
      Client({.ping_after = Duration::Millis(1), .ping_timeout = Duration::Seconds(600)});
  auto response = Get(*client, peers.url());
  const auto peer = peers.Accept();
  peer->Greet();
  peer->AwaitRequest();
  for (int i = 0; i < 3; ++i) {
    const HttpFrame ping = peer->Await(HttpFrame::kPing);
    peer->SendFrame({HttpFrame::kPing, HttpFrame::kAck, 0, ping.payload});
  }
  peer->Respond(1, "here");
  EXPECT_EQ(Summary(response.get()), "200 here");
}

TEST_F(Http2ClientTest, ResponsesThatEndEarlyAreErrors) {
  const auto closed = [](HttpPeer& peer) { peer.Close(); };
  const std::string length_two = std::string("\x0f\x0d\x01", 3) + "2";
  const struct {
    const char* name;
    std::function<void(HttpPeer&)> play;
    const char* want;
  } cases[] = {
      {"nothing", closed, "broken: the server closed the connection without an answer"},
      {"head only",
       [](HttpPeer& peer) {
         peer.SendHead(1);
         peer.Close();
       },
       "broken: the server closed the connection before the answer was complete"},
      {"shorter than it says",
       [&](HttpPeer& peer) {
         peer.SendHead(1, false, length_two);
         peer.SendData(1, "a", true);
         EXPECT_EQ(peer.Await(HttpFrame::kReset).payload, BigEndian(kProtocolError));
       },
       "broken: the stream was reset: PROTOCOL_ERROR"},
      {"longer than it says",
       [&](HttpPeer& peer) {
         peer.SendHead(1, false, length_two);
         peer.SendData(1, "abc", true);
       },
       "broken: the stream was reset: PROTOCOL_ERROR"},
      {"longer than allowed",
       [](HttpPeer& peer) {
         peer.SendHead(1);
         peer.SendData(1, std::string(101, 'x'));
       },
       "broken: the answer is longer than 100 bytes"},
      {"not a frame", [](HttpPeer& peer) { peer.Send(std::string(100, '\xff')); },
       "broken: the server broke the rules of HTTP/2"},
      {"complete, and the connection ends with it",
       [](HttpPeer& peer) {
         peer.Respond(1, "all");
         peer.Close();
       },
       "200 all"},
  };
  for (const auto& c : cases) {
    HttpPeers peers;
    const auto client = Client({.max_body_bytes = 100});
    auto response = Get(*client, peers.url());
    const auto peer = peers.Accept();
    peer->Greet();
    peer->AwaitRequest();
    c.play(*peer);
    EXPECT_EQ(Summary(response.get()), c.want) << c.name;
  }
}

TEST_F(Http2ClientTest, ServersWithoutHttp2AreErrors) {
  HttpPeers peers;
  const auto client = Client();
  auto first = Get(*client, peers.url());
  auto peer = peers.Accept();
  peer->Send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(Summary(first.get()), "unreachable: the server does not speak HTTP/2");
  auto second = Get(*client, peers.url());
  peers.Accept()->ReadUntil("SM\r\n\r\n");
  EXPECT_EQ(Summary(second.get()),
            "unreachable: the server closed the connection without an answer");
  const auto impatient = Client({.connect_timeout = Duration::Millis(20)});
  auto third = Get(*impatient, peers.url());
  peer = peers.Accept();
  EXPECT_EQ(Summary(third.get()), "unreachable: no connection within 20ms");
}

TEST_F(Http2ClientTest, ARefusedConnectionFailsAllPendingRequests) {
  const auto client = Client();
  const std::string url = HttpPeers().url();
  std::vector<HttpFuture> futures;
  for (int i = 0; i < 3; ++i) futures.push_back(Get(*client, url));
  for (auto& future : futures) EXPECT_EQ(Summary(future.get()), "unreachable: connection refused");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
