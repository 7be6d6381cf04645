#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "net/http_server.h"
#include "testing/await.h"
#include "testing/http2_client.h"
#include "testing/http_handlers.h"
#include "testing/raw_client.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

using std::chrono::milliseconds;

constexpr uint32_t kNoError = 0;
constexpr uint32_t kCancel = 8;

TEST(Http2ServerTest, ServesRequestsWithAndWithoutBodies) {
  std::vector<HttpHeader> headers;
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    headers = exchange->request().headers;
    Echo(exchange);
  });
  RawClient client(server->port());
  Http2Client http2(client);
  const Http2Response& get = http2.Finish(http2.Send("GET", "/a?b=c", {{"x-thing", "one"}}));
  EXPECT_EQ(get.status, 200);
  EXPECT_EQ(get.body, "GET /a?b=c 0 ");
  EXPECT_EQ(FindHeader(get.headers, "content-type"), "text/plain");
  EXPECT_EQ(FindHeader(get.headers, "content-length"), "13");
  const std::vector<HttpHeader> want = {{"host", "localhost"}, {"x-thing", "one"}};
  EXPECT_EQ(headers, want);
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/p", {}, "abc")).body, "POST /p 3 abc");
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/p", {}, "")).body, "POST /p 0 ");
  const Http2Response& head = http2.Finish(http2.Send("HEAD", "/a"));
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(FindHeader(head.headers, "content-length"), "10");
  EXPECT_GE(http2.max_concurrent_streams(), 250U);
}

TEST(Http2ServerTest, ServesConcurrentRequestsInAnyOrder) {
  std::mutex mutex;
  std::vector<std::shared_ptr<Exchange>> waiting;
  std::promise<void> all;
  constexpr size_t kRequests = 200;
  const auto server = Serve([&](std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(exchange));
    if (waiting.size() == kRequests) all.set_value();
  });
  RawClient client(server->port());
  Http2Client http2(client);
  // After the server's settings have arrived, more than a hundred requests may be sent.
  http2.Ping();
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.pongs() == 1; }));
  std::vector<int32_t> streams;
  for (size_t i = 0; i < kRequests; ++i) {
    streams.push_back(http2.Send("GET", "/" + std::to_string(i)));
  }
  Await(all);
  // From this thread, in reverse order.
  while (!waiting.empty()) {
    Echo(waiting.back());
    waiting.pop_back();
  }
  for (size_t i = 0; i < kRequests; ++i) {
    EXPECT_EQ(http2.Finish(streams[i]).body, "GET /" + std::to_string(i) + " 0 ");
  }
}

TEST(Http2ServerTest, SendsAndReceivesLargeBodies) {
  const std::string large(10 << 20, 'z');
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    EXPECT_EQ(exchange->request().body.size(), size_t{2} << 20);
    exchange->Respond(ServerResponse::Text(200, "text/plain", large));
  });
  RawClient client(server->port());
  Http2Client http2(client);
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/", {}, std::string(2 << 20, 'y'))).body, large);
}

TEST(Http2ServerTest, StreamsAreFlushedAtOnceAndWokenFromOtherThreads) {
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Stream({.headers = {{"Content-Type", "text/plain"}}}, channel->Open(exchange));
  });
  RawClient client(server->port());
  Http2Client http2(client);
  const int32_t stream = http2.Send("GET", "/");
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.answer(stream).status == 200; }));
  for (const std::string text : {"one", "onetwo", "onetwothree"}) {
    channel->Write(text.substr(http2.answer(stream).body.size()));
    EXPECT_TRUE(http2.WaitUntil([&] { return http2.answer(stream).body == text; }));
  }
  EXPECT_FALSE(http2.answer(stream).closed);
  channel->End();
  EXPECT_EQ(http2.Finish(stream).error, kNoError);
  EXPECT_TRUE(channel->WaitUntilGone());
}

TEST(Http2ServerTest, AResetStreamOrALostConnectionDestroysTheSource) {
  for (const bool reset : {true, false}) {
    const auto channel = std::make_shared<Channel>();
    const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
      exchange->Stream({}, channel->Open(exchange));
    });
    RawClient client(server->port());
    Http2Client http2(client);
    const int32_t stream = http2.Send("GET", "/");
    EXPECT_TRUE(http2.WaitUntil([&] { return http2.answer(stream).status == 200; }));
    if (reset) {
      http2.Reset(stream);
    } else {
      client.Close();
    }
    ASSERT_TRUE(channel->WaitUntilGone());
    // A later write has no effect: the source is gone.
    const size_t reads = channel->reads();
    channel->Write("too late");
    server->Stop(milliseconds(1));
    EXPECT_EQ(channel->reads(), reads);
  }
}

TEST(Http2ServerTest, AStreamWithoutWindowReadsNothingFromItsSource) {
  const auto taken = std::make_shared<std::atomic<size_t>>(0);
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Stream({}, std::make_unique<EndlessSource>(taken));
  });
  RawClient client(server->port());
  Http2Client http2(client, 0);
  const int32_t stream = http2.Send("GET", "/");
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.answer(stream).status == 200; }));
  // The ping is acknowledged after everything the server had to send.
  http2.Ping();
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.pongs() == 1; }));
  EXPECT_EQ(*taken, 0U);
  http2.OpenWindow(stream, 1000);
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.answer(stream).body.size() == 1000; }));
  http2.Ping();
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.pongs() == 2; }));
  EXPECT_EQ(*taken, 1000U);
}

TEST(Http2ServerTest, AStreamWithoutWindowDoesNotSlowOthers) {
  const auto taken = std::make_shared<std::atomic<size_t>>(0);
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().target != "/endless") return Echo(exchange);
    exchange->Stream({}, std::make_unique<EndlessSource>(taken));
  });
  RawClient client(server->port());
  Http2Client http2(client, 1000);
  const int32_t endless = http2.Send("GET", "/endless");
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.answer(endless).body.size() == 1000; }));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(http2.Finish(http2.Send("GET", "/")).body, "GET / 0 ");
  }
}

TEST(Http2ServerTest, RejectsLargeRequests) {
  const auto server = Serve(Echo, {.max_header_bytes = 2000, .max_body_bytes = 1000});
  RawClient client(server->port());
  Http2Client http2(client);
  const Http2Response& announced =
      http2.Finish(http2.Send("POST", "/", {{"content-length", "1001"}}, std::string(1001, 'x')));
  EXPECT_EQ(announced.status, 413);
  EXPECT_EQ(announced.body, "the body is longer than 1000 bytes\n");
  EXPECT_EQ(http2.Finish(http2.Send("POST", "/", {}, std::string(5000, 'x'))).status, 413);
  const Http2Response& header =
      http2.Finish(http2.Send("GET", "/", {{"x-long", std::string(3000, 'x')}}));
  EXPECT_EQ(header.status, 431);
  EXPECT_EQ(http2.Finish(http2.Send("GET", "/")).body, "GET / 0 ");
}

TEST(Http2ServerTest, ASlowBodyIsRejectedAndASlowReaderDisconnected) {
  const auto server = Serve(
      [](const std::shared_ptr<Exchange>& exchange) {
        exchange->Respond(ServerResponse::Text(200, "text/plain", std::string(5000, 'x')));
      },
      {.body_timeout = milliseconds(20), .send_timeout = milliseconds(20)});
  RawClient client(server->port());
  Http2Client http2(client, 1000);
  EXPECT_EQ(http2.Finish(http2.SendHead("POST", "/")).status, 408);
  const Http2Response& stuck = http2.Finish(http2.Send("GET", "/"));
  EXPECT_EQ(stuck.error, kCancel);
  EXPECT_EQ(stuck.body.size(), 1000U);
}

TEST(Http2ServerTest, StopSendsGoAwayAndWaitsForResponses) {
  std::promise<std::shared_ptr<Exchange>> promise;
  const auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient client(server->port());
  Http2Client http2(client);
  const int32_t stream = http2.Send("GET", "/");
  auto exchange = Await(promise);
  std::thread stopper([&] { server->Stop(std::chrono::minutes(10)); });
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.got_goaway(); }));
  EXPECT_EQ(http2.goaway_error(), kNoError);
  exchange->Respond(ServerResponse::Text(200, "text/plain", "late"));
  EXPECT_EQ(http2.Finish(stream).body, "late");
  EXPECT_EQ(client.ReadAll(), "");
  client.Close();
  stopper.join();
}

TEST(Http2ServerTest, IdleConnectionsAreClosed) {
  const auto server = Serve(Echo, {.idle_timeout = milliseconds(20)});
  RawClient client(server->port());
  Http2Client http2(client);
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.got_goaway(); }));
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(Http2ServerTest, DisconnectsAPeerThatResetsTooManyStreams) {
  const auto server = Serve([](const std::shared_ptr<Exchange>& exchange) {
    exchange->Stream({}, std::make_shared<Channel>()->Open(nullptr));
  });
  RawClient client(server->port());
  Http2Client http2(client);
  for (int i = 0; i < 2000 && !http2.got_goaway(); ++i) http2.Reset(http2.Send("GET", "/"));
  EXPECT_TRUE(http2.WaitUntil([&] { return http2.got_goaway(); }));
  EXPECT_NE(http2.goaway_error(), kNoError);
}

TEST(Http2ServerTest, ABadPrefaceClosesTheConnection) {
  const auto server = Serve(Echo);
  RawClient client(server->port());
  client.Send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n and more");
  client.EndSending();
  client.ReadAll();
  RawClient half(server->port());
  half.Send("PRI *");
  half.EndSending();
  EXPECT_EQ(half.ReadAll(), "");
  RawClient other(server->port());
  other.Send("PRINT /x HTTP/1.1\r\nHost: h\r\n\r\n");
  other.ReadUntil("PRINT /x 0 ");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
