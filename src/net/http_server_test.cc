#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "net/gzip.h"
#include "testing/await.h"
#include "testing/http_handlers.h"
#include "testing/raw_client.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(HttpServerTest, PassesTheRequestToTheHandlerUnchanged) {
  std::vector<HttpHeader> headers;
  Peer peer;
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    headers = exchange->request().headers;
    peer = exchange->request().peer;
    EXPECT_EQ(exchange->request().header("x-THING"), "one");
    EXPECT_EQ(exchange->request().header("none"), "");
    Echo(exchange);
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nX-Thing:  one \r\nX-Thing: two\r\n\r\n");
  client.ReadUntil("GET / 0 ");
  const std::vector<HttpHeader> want = {{"Host", "h"}, {"X-Thing", "one"}, {"X-Thing", "two"}};
  EXPECT_EQ(headers, want);
  EXPECT_EQ(peer.address, "127.0.0.1");
  EXPECT_TRUE(peer.loopback);
  EXPECT_FALSE(peer.tls);
}

TEST(HttpServerTest, LeavesOutHeadersThatCannotBeSent) {
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    ServerResponse response = ServerResponse::Text(201, "text/plain", "hello");
    response.headers.push_back({"X-Good", "yes"});
    response.headers.push_back({"X-Bad", "a\r\nX-Injected: b"});
    response.headers.push_back({"Bad Name", "x"});
    response.headers.push_back({"Content-Length", "7"});
    exchange->Respond(std::move(response));
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(WithoutDate(client.ReadAll()),
            "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nX-Good: yes\r\n"
            "Content-Length: 5\r\nConnection: close\r\n\r\nhello");
}

TEST(HttpServerTest, ResponsesWithoutBodyHaveNoContentLength) {
  const auto server =
      Serve([&](const std::shared_ptr<Exchange>& exchange) { exchange->Respond({.status = 204}); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(WithoutDate(client.ReadAll()), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

TEST(HttpServerTest, ADroppedExchangeGetsAnErrorResponse) {
  const auto server = Serve([](const std::shared_ptr<Exchange>&) {});
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("the request was not answered\n"),
              StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST(HttpServerTest, AnotherThreadMayRespond) {
  std::promise<std::shared_ptr<Exchange>> promise;
  const auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  Await(promise)->Respond(ServerResponse::Text(200, "text/plain", "late"));
  EXPECT_THAT(client.ReadUntil("late"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

// The thread that responds may be one that everybody waits for, such as the journal's of the store.
TEST(HttpServerTest, AnotherThreadThatRespondsDoesNotCompress) {
  std::promise<std::shared_ptr<Exchange>> large, blocking;
  std::promise<void> release;
  const auto server = Serve([&](std::shared_ptr<Exchange> exchange) {
    if (exchange->request().target == "/large") return large.set_value(std::move(exchange));
    blocking.set_value(std::move(exchange));
    release.get_future().wait();
  });
  RawClient client(server->port()), other(server->port());
  client.Send(
      "GET /large HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n");
  const auto exchange = Await(large);
  // While the only thread of the server is busy, nothing can be compressed there.
  other.Send("GET /blocking HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto blocked = Await(blocking);
  const auto text = std::make_shared<std::string>(1 << 20, 'a');
  exchange->Respond({.body = {{text, *text}}});
  text->assign(text->size(), 'b');
  release.set_value();

  const std::string response = client.ReadAll();
  const size_t body = response.find("\r\n\r\n") + 4;
  EXPECT_THAT(response.substr(0, body), HasSubstr("Content-Encoding: gzip\r\n"));
  EXPECT_EQ(Gunzip(response.substr(body), 2 << 20).value(), std::string(1 << 20, 'b'))
      << "the body was read by the thread that responds";
}

TEST(HttpServerTest, AnExchangeMayOutliveTheServer) {
  std::promise<std::shared_ptr<Exchange>> promise;
  auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto exchange = Await(promise);
  server.reset();
  exchange->Wake();
  exchange->WakeAfter(milliseconds(1));
  exchange->Respond(ServerResponse::Text(200, "text/plain", "too late"));
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpServerTest, SlowClientsGetATimeoutResponse) {
  const auto server =
      Serve(Echo, {.header_timeout = milliseconds(20), .body_timeout = milliseconds(20)});
  RawClient head(server->port());
  head.Send("GET / HT");
  EXPECT_EQ(WithoutDate(head.ReadAll()),
            Refusal("408 Request Timeout", "the headers took too long"));
  RawClient body(server->port());
  body.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_EQ(WithoutDate(body.ReadAll()), Refusal("408 Request Timeout", "the body took too long"));
}

TEST(HttpServerTest, IdleConnectionsAreClosed) {
  const auto server = Serve(Echo, {.idle_timeout = milliseconds(20)});
  RawClient silent(server->port());
  EXPECT_EQ(silent.ReadAll(), "");
  RawClient once(server->port());
  once.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(once.ReadAll(), EndsWith("GET / 0 "));
}

TEST(HttpServerTest, DisconnectsAClientThatDoesNotRead) {
  constexpr size_t kBody = 64 << 20;  // More than the buffers of both sockets hold.
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve(
      [&](const std::shared_ptr<Exchange>& exchange) {
        channel->Write(std::string(kBody, 'x'));
        exchange->Stream({}, channel->Open(exchange));
      },
      {.send_timeout = milliseconds(50)});
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(channel->WaitUntilGone());
  // The client still gets what was sent before, then the end of the connection.
  const std::string response = client.ReadAll();
  EXPECT_LT(response.size(), kBody);
  EXPECT_THAT(response, Not(EndsWith("0\r\n\r\n")));
}

TEST(HttpServerTest, StreamsAreFlushedAtOnceAndOtherThreadsMayWakeThem) {
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Stream({.headers = {{"Content-Type", "text/plain"}}}, channel->Open(exchange));
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(WithoutDate(client.ReadUntil("\r\n\r\n")),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const std::string text : {"one", "two", "three"}) {
    channel->Write(text);
    EXPECT_EQ(client.ReadUntil(text + "\r\n"),
              std::to_string(text.size()) + "\r\n" + text + "\r\n");
  }
  channel->End();
  EXPECT_EQ(client.ReadUntil("0\r\n\r\n"), "0\r\n\r\n");
  EXPECT_TRUE(channel->WaitUntilGone());
  // The connection can be used again.
  client.Send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), EndsWith("\r\n\r\n"));
}

TEST(HttpServerTest, WakeAfterReadsTheSourceAgain) {
  // Ends at the third read.
  class Counting final : public BodySource {
   public:
    explicit Counting(Exchange& exchange) : exchange_(exchange) {}
    State Read(size_t, std::vector<Piece>&) override {
      if (++reads_ == 3) return State::kEnd;
      exchange_.WakeAfter(milliseconds(1));
      return State::kWait;
    }

   private:
    Exchange& exchange_;
    int reads_ = 0;
  };
  std::shared_ptr<Exchange> owner;
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    owner = exchange;
    exchange->Stream({}, std::make_unique<Counting>(*exchange));
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("0\r\n\r\n"), EndsWith("\r\n\r\n0\r\n\r\n"));
}

TEST(HttpServerTest, Http10StreamsEndWithTheConnection) {
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Stream({}, channel->Open(exchange));
  });
  channel->Write("one");
  channel->End();
  RawClient client(server->port());
  client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(WithoutDate(client.ReadAll()), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none");
}

TEST(HttpServerTest, DropsAStreamWhoseClientDisconnects) {
  for (const bool half : {false, true}) {
    const auto channel = std::make_shared<Channel>();
    const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
      exchange->Stream({}, channel->Open(exchange));
    });
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.ReadUntil("\r\n\r\n");
    if (half) {
      client.EndSending();
    } else {
      client.Close();
    }
    ASSERT_TRUE(channel->WaitUntilGone());
    // A later write has no effect: the source is gone.
    const size_t reads = channel->reads();
    channel->Write("too late");
    server->Stop(milliseconds(1));
    EXPECT_EQ(channel->reads(), reads);
    if (half) {
      EXPECT_EQ(client.ReadAll(), "");
    }
  }
}

TEST(HttpServerTest, ASlowReaderDoesNotSlowOtherClients) {
  const auto taken = std::make_shared<std::atomic<size_t>>(0);
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().target != "/endless") return Echo(exchange);
    exchange->Stream({}, std::make_unique<EndlessSource>(taken));
  });
  RawClient slow(server->port(), 4096);
  slow.Send("GET /endless HTTP/1.1\r\nHost: h\r\n\r\n");
  slow.ReadUntil("\r\n\r\n");
  RawClient quick(server->port());
  for (int i = 0; i < 1000; ++i) {
    quick.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    quick.ReadUntil("GET / 0 ");
  }
  // At most the kernel's buffers and one batch.
  EXPECT_LT(*taken, size_t{32} << 20);
}

TEST(HttpServerTest, ManyConnectionsAtOnce) {
  constexpr int kConnections = 200;
  const auto server = Serve(Echo, {.threads = 2});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kConnections; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
  }
  for (int round = 0; round < 5; ++round) {
    for (const auto& client : clients) client->Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    for (const auto& client : clients) {
      EXPECT_EQ(WithoutDate(client->ReadUntil("GET / 0 ")),
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\n"
                "GET / 0 ");
    }
  }
}

TEST(HttpServerTest, OneThousandStreams) {
  constexpr size_t kStreams = 1000;
  std::mutex mutex;
  std::vector<std::shared_ptr<Channel>> channels;
  const auto server = Serve(
      [&](const std::shared_ptr<Exchange>& exchange) {
        const auto channel = std::make_shared<Channel>();
        exchange->Stream({}, channel->Open(exchange));
        const std::lock_guard lock(mutex);
        channels.push_back(channel);
      },
      {.threads = 2});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (size_t i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_TRUE(clients.back()->connected());
    clients.back()->Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  for (const auto& client : clients) client->ReadUntil("\r\n\r\n");
  for (const auto& channel : channels) channel->Write("event");
  for (const auto& client : clients) EXPECT_EQ(client->ReadUntil("event\r\n"), "5\r\nevent\r\n");
}

TEST(HttpServerTest, StopWaitsForResponses) {
  std::promise<std::shared_ptr<Exchange>> promise;
  const auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient idle(server->port());
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  auto exchange = Await(promise);
  std::thread stopper([&] { server->Stop(std::chrono::minutes(10)); });
  // The idle connection is closed, so the server is stopping.
  EXPECT_EQ(idle.ReadAll(), "");
  exchange->Respond(ServerResponse::Text(200, "text/plain", "late"));
  const std::string response = client.ReadAll();
  EXPECT_THAT(response, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(response, EndsWith("late"));
  client.Close();
  stopper.join();
  EXPECT_FALSE(RawClient(server->port()).connected());
}

TEST(HttpServerTest, StopClosesConnectionsAfterTheGracePeriod) {
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    exchange->Stream({}, channel->Open(exchange));
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.ReadUntil("\r\n\r\n");
  server->Stop(milliseconds(1));
  EXPECT_TRUE(channel->gone());
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpServerTest, ReportsWhyItCannotListen) {
  const auto server = Serve(Echo);
  const auto problem = [](ServerOptions options) {
    const auto other = HttpServer::Start(std::move(options), Echo);
    return other ? "none" : other.error().message;
  };
  EXPECT_EQ(
      problem({.port = server->port()}),
      "listening on 127.0.0.1, port " + std::to_string(server->port()) + ": the port is taken");
  EXPECT_EQ(problem({.address = "nonsense"}),
            "\"nonsense\" is not an address to listen on: an IPv4 or IPv6 address is");
  EXPECT_EQ(problem({.address = "192.0.2.1"}),
            "listening on 192.0.2.1, port 0: this machine does not have that address");
}

TEST(HttpServerTest, ListensOnAllIPv4AndIPv6Addresses) {
  const auto server = Serve(
      [](const std::shared_ptr<Exchange>& exchange) {
        exchange->Respond(
            ServerResponse::Text(200, "text/plain", exchange->request().peer.address));
      },
      {.address = "::"});
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("127.0.0.1"), HasSubstr("200 OK"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
