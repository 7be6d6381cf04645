// What strangers may cost a server: connections, buffered bodies, unanswered requests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "net/http_server.h"
#include "testing/await.h"
#include "testing/http2_client.h"
#include "testing/http_handlers.h"
#include "testing/raw_client.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

using testing::StartsWith;

// Waits until the server holds that many bytes of bodies.
void AwaitBuffered(const HttpServer& server, size_t bytes) {
  EXPECT_TRUE(Await([&] { return server.buffered_bytes() == bytes; }));
}

std::string Post(size_t size) {
  return "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

TEST(HttpServerLimits, BeyondTheLimitANewConnectionReplacesAnIdleOne) {
  const auto server = Serve(Echo, {.max_connections = 2});
  RawClient used(server->port());
  used.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  used.ReadUntil("GET / 0 ");
  RawClient silent(server->port());
  RawClient third(server->port());
  third.Send("GET /3 HTTP/1.1\r\nHost: h\r\n\r\n");
  third.ReadUntil("GET /3 0 ");
  EXPECT_EQ(silent.ReadAll(), "");
  RawClient fourth(server->port());
  fourth.Send("GET /4 HTTP/1.1\r\nHost: h\r\n\r\n");
  fourth.ReadUntil("GET /4 0 ");
  EXPECT_EQ(used.ReadAll(), "");
}

TEST(HttpServerLimits, ManySilentConnectionsDoNotKeepAClientOut) {
  constexpr size_t kMost = 20;
  const auto server = Serve(Echo, {.max_connections = kMost});
  std::vector<std::unique_ptr<RawClient>> strangers;
  for (size_t i = 0; i < 20 * kMost; ++i) {
    strangers.push_back(std::make_unique<RawClient>(server->port()));
    if (i % kMost != 0) continue;
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 200 OK"));
  }
  EXPECT_TRUE(Await([&] { return server->connections() <= kMost; }));
}

TEST(HttpServerLimits, BusyConnectionsAreNotReplaced) {
  std::promise<std::shared_ptr<Exchange>> promise;
  const auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); },
            {.max_connections = 1});
  RawClient busy(server->port());
  busy.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  auto exchange = Await(promise);
  EXPECT_EQ(RawClient(server->port()).ReadAll(), "");
  exchange->Respond(ServerResponse::Text(200, "text/plain", "late"));
  busy.ReadUntil("late");
}

TEST(HttpServerLimits, AllBodiesTogetherAreBounded) {
  const auto server = Serve(Echo, {.max_buffered_bytes = 1000});
  RawClient first(server->port());
  first.Send(Post(900) + std::string(800, 'x'));
  AwaitBuffered(*server, 800);
  RawClient second(server->port());
  second.Send(Post(300) + std::string(300, 'x'));
  EXPECT_EQ(WithoutDate(second.ReadAll()),
            Refusal("429 Too Many Requests", "too many request bodies at once"));
  RawClient third(server->port());
  Http2Client http2(third);
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/", {}, std::string(300, 'x'))).status, 429);
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/", {}, std::string(100, 'x'))).status, 200);
  first.Send(std::string(100, 'x'));
  first.ReadUntil("POST / 900 ");
  AwaitBuffered(*server, 0);
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/", {}, std::string(1000, 'x'))).status, 200);
}

TEST(HttpServerLimits, ABodyCountsUntilItsExchangeOrConnectionEnds) {
  std::promise<std::shared_ptr<Exchange>> promise;
  const auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient client(server->port());
  client.Send(Post(500) + std::string(500, 'x'));
  auto exchange = Await(promise);
  EXPECT_EQ(server->buffered_bytes(), 500U);
  RawClient half(server->port());
  half.Send(Post(500) + std::string(100, 'x'));
  AwaitBuffered(*server, 600);
  half.Close();
  AwaitBuffered(*server, 500);
  exchange->Respond({});
  client.ReadUntil("\r\n\r\n");
  exchange.reset();
  EXPECT_EQ(server->buffered_bytes(), 0U);
}

TEST(HttpServerLimits, ABodyIsNotBufferedBeforeItsRequestIsAdmitted) {
  const auto server = Serve(Echo, {.admission = [](const ServerRequest& head) {
                              EXPECT_EQ(head.peer.address, "127.0.0.1");
                              std::optional<ServerResponse> refusal;
                              if (head.target != "/in")
                                refusal = ServerResponse::Text(401, "text/plain", "who are you?");
                              return refusal;
                            }});
  RawClient stranger(server->port());
  stranger.Send(Post(3'000'000));
  EXPECT_THAT(stranger.ReadAll(), StartsWith("HTTP/1.1 401 Unauthorized"));
  RawClient other(server->port());
  Http2Client http2(other);
  const Http2Response& refused = http2.Finish(http2.SendHead("POST", "/"));
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.body, "who are you?");
  EXPECT_EQ(
      http2.Finish(http2.Send("POST", "/in", {}, std::string(100'000, 'x'))).body.substr(0, 15),
      "POST /in 100000");
  EXPECT_EQ(server->buffered_bytes(), 0U);
}

TEST(HttpServerLimits, IncompleteRequestsOfAConnectionAreBounded) {
  const auto server = Serve(Echo, {.max_header_bytes = 1000, .max_body_bytes = 1000});
  RawClient client(server->port());
  Http2Client http2(client);
  std::vector<int32_t> streams;
  for (int i = 0; i < 100; ++i) streams.push_back(http2.SendHead("POST", "/"));
  http2.Ping();
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.pongs() == 1; }));
  const auto refused = std::ranges::count_if(
      streams, [&](int32_t stream) { return http2.answer(stream).status == 429; });
  // Each has four headers of about 40 bytes, as HTTP/2 counts them, and there is room for 16 KB.
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 50);
  http2.Reset(streams[0]);
  http2.Reset(streams[1]);
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/", {}, "abc")).body, "POST / 3 abc");
}

TEST(HttpServerLimits, HeadersThatGrowWhenDecompressedEndTheConnection) {
  const auto server = Serve(Echo, {.max_header_bytes = 2000});
  RawClient client(server->port());
  Http2Client http2(client);
  // After the first, each of these is one byte on the network.
  const std::vector<HttpHeader> headers(50, {"x-long", std::string(1000, 'x')});
  http2.Send("GET", "/", headers);
  EXPECT_FALSE(http2.WaitUntil([] { return false; }));
}

TEST(HttpServerLimits, TrailersCountAsHeaders) {
  const auto server = Serve(Echo, {.max_header_bytes = 2000});
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
  client.Send("X: " + std::string(3000, 'x') + "\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST(HttpServerLimits, HandlersLearnThatTheClientIsGone) {
  enum class How { kDisconnect, kHalfClose, kReset };
  for (const How how : {How::kDisconnect, How::kHalfClose, How::kReset}) {
    std::promise<std::shared_ptr<Exchange>> promise;
    std::promise<void> abandoned;
    const auto server = Serve([&](std::shared_ptr<Exchange> exchange) {
      exchange->OnAbandoned([&] { abandoned.set_value(); });
      promise.set_value(std::move(exchange));
    });
    RawClient client(server->port());
    if (how == How::kReset) {
      Http2Client http2(client);
      const int32_t stream = http2.Send("GET", "/");
      const auto exchange = Await(promise);
      http2.Reset(stream);
      Await(abandoned);
    } else {
      client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
      const auto exchange = Await(promise);
      if (how == How::kDisconnect) client.Close();
      client.EndSending();
      Await(abandoned);
    }
  }
}

TEST(HttpServerLimits, AfterTheResponseNothingIsAbandoned) {
  bool abandoned = false;
  {
    const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
      exchange->OnAbandoned([&] { abandoned = true; });
      Echo(exchange);
    });
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.ReadUntil("GET / 0 ");
  }
  EXPECT_FALSE(abandoned);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
