#include "net/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "support/body_sources.h"
#include "support/raw_client.h"
#include "support/serve.h"

// Tests name the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The answer without its Date header, which differs each time.
std::string WithoutDate(std::string answer) {
  for (size_t at = 0; (at = answer.find("Date: ", at)) != std::string::npos;) {
    answer.erase(at, answer.find("\r\n", at) + 2 - at);
  }
  return answer;
}

struct RawCase {
  const char* name;
  std::string sent;
  std::string want;  // All that comes back, without dates, once the client has ended its side.
};

std::string Answer(const std::string& status, const std::string& body, const char* more = "") {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         more + "\r\n" + body;
}

std::string Refusal(const std::string& status, const std::string& text) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
         std::to_string(text.size() + 1) + "\r\nConnection: close\r\n\r\n" + text + "\n";
}

const std::string kHost = "Host: h\r\n";
constexpr const char* kClose = "Connection: close\r\n";

std::vector<RawCase> RawCases() {
  const std::string not_http = "this is not an HTTP/1.1 request: ";
  return {
      {"Get", "GET /a?b=c HTTP/1.1\r\n" + kHost + "\r\n", Answer("200 OK", "GET /a?b=c 0 ")},
      {"Post", "POST /a HTTP/1.1\r\n" + kHost + "Content-Length: 3\r\n\r\nabc",
       Answer("200 OK", "POST /a 3 abc")},
      {"UnknownMethod", "FROB /a HTTP/1.1\r\n" + kHost + "\r\n", Answer("200 OK", "FROB /a 0 ")},
      {"Chunked",
       "POST /a HTTP/1.1\r\n" + kHost +
           "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n",
       Answer("200 OK", "POST /a 5 abcde")},
      {"Pipelined",
       "GET /1 HTTP/1.1\r\n" + kHost + "\r\nPOST /2 HTTP/1.1\r\n" + kHost +
           "Content-Length: 1\r\n\r\nx\r\nGET /3 HTTP/1.1\r\n" + kHost + "\r\n",
       Answer("200 OK", "GET /1 0 ") + Answer("200 OK", "POST /2 1 x") +
           Answer("200 OK", "GET /3 0 ")},
      {"NothingFollowsConnectionClose",
       "GET /1 HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n" + kHost +
           "\r\n",
       Answer("200 OK", "GET /1 0 ", kClose)},
      {"Http10Closes", "GET /1 HTTP/1.0\r\n\r\n", Answer("200 OK", "GET /1 0 ", kClose)},
      {"Http10MayKeep", "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
       Answer("200 OK", "GET /1 0 ")},
      {"HeadHasNoBody", "HEAD /1 HTTP/1.1\r\n" + kHost + "\r\n",
       "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n"},
      {"ContinueIsSaidBeforeTheBody",
       "POST /1 HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n",
       "HTTP/1.1 100 Continue\r\n\r\n"},
      {"ContinueIsNotSaidWhenTheBodyIsThere",
       "POST /1 HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
       Answer("200 OK", "POST /1 2 ab")},
      {"OtherExpectation", "POST /1 HTTP/1.1\r\n" + kHost + "Expect: wonders\r\n\r\n",
       Refusal("417 Expectation Failed", "the expectation \"wonders\" is not known")},
      {"EmptyLinesBefore", "\r\n\r\nGET /1 HTTP/1.1\r\n" + kHost + "\r\n",
       Answer("200 OK", "GET /1 0 ")},
      {"Nothing", "", ""},
      {"OnlyHalfARequest", "GET /1 HTTP/1.1\r\nHos", ""},
      {"OnlyHalfABody", "POST /1 HTTP/1.1\r\n" + kHost + "Content-Length: 5\r\n\r\nab", ""},
      {"BinaryNoise", std::string("\x16\x03\x01\x02\x00\x01", 6) + "\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad method")},
      {"NoTarget", "GET HTTP/1.1\r\n" + kHost + "\r\n",
       Refusal("400 Bad Request", not_http + "bad target")},
      {"OtherVersion", "GET / HTTP/3.0\r\n" + kHost + "\r\n",
       Refusal("400 Bad Request", not_http + "bad version")},
      {"BadHeaderName", "GET / HTTP/1.1\r\n" + kHost + "a b: c\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad field")},
      {"ControlCharacterInValue", "GET / HTTP/1.1\r\n" + kHost + "a: \x01\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad value")},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n",
       Refusal("400 Bad Request", "the Host header is missing")},
      {"TwoHosts", "GET / HTTP/1.1\r\n" + kHost + kHost + "\r\n",
       Refusal("400 Bad Request", "there is more than one Host header")},
      {"LengthIsNoNumber", "POST / HTTP/1.1\r\n" + kHost + "Content-Length: -1\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad Content-Length")},
      {"TwoLengths",
       "POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
       Refusal("400 Bad Request", not_http + "multiple Content-Length")},
      {"LengthAndChunks",
       "POST / HTTP/1.1\r\n" + kHost +
           "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad Transfer-Encoding")},
      {"UnknownTransferEncoding",
       "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip\r\n\r\nabc",
       Refusal("501 Not Implemented", "the transfer encoding \"gzip\" is not known")},
      {"BadChunk",
       "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
       Refusal("400 Bad Request", not_http + "bad chunk")},
      {"LongBody", "POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1001\r\n\r\n",
       Refusal("413 Payload Too Large", "the body is longer than 1000 bytes")},
      {"LongBodyIsNotAskedFor",
       "POST / HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n",
       Refusal("413 Payload Too Large", "the body is longer than 1000 bytes")},
      {"LongChunkedBody",
       "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n300\r\n" +
           std::string(0x300, 'x') + "\r\n300\r\n",
       Refusal("413 Payload Too Large", "the body is longer than 1000 bytes")},
      {"LongHeader", "GET / HTTP/1.1\r\n" + kHost + "a: " + std::string(3000, 'x') + "\r\n\r\n",
       Refusal("431 Request Header Fields Too Large", "the headers are longer than 2000 bytes")},
      {"LongTarget", "GET /" + std::string(3000, 'x') + " HTTP/1.1\r\n" + kHost + "\r\n",
       Refusal("431 Request Header Fields Too Large", "the headers are longer than 2000 bytes")},
      {"LongTrailer",
       "POST / HTTP/1.1\r\n" + kHost +
           "Transfer-Encoding: chunked\r\n\r\n0\r\na: " + std::string(3000, 'x') + "\r\n\r\n",
       Refusal("431 Request Header Fields Too Large", "the headers are longer than 2000 bytes")},
  };
}

class RawRequests : public testing::TestWithParam<RawCase> {};

TEST_P(RawRequests, AreAnswered) {
  const auto server = Serve(Echo, {.max_header_bytes = 2000, .max_body_bytes = 1000});
  RawClient client(server->port());
  client.Send(GetParam().sent);
  client.EndSending();
  EXPECT_EQ(WithoutDate(client.ReadAll()), GetParam().want);
}

TEST_P(RawRequests, AreAnsweredWhenTheyComeByteByByte) {
  const auto server = Serve(Echo, {.max_header_bytes = 2000, .max_body_bytes = 1000});
  RawClient client(server->port());
  for (const char c : GetParam().sent) {
    if (!client.Send(std::string_view(&c, 1))) break;
  }
  client.EndSending();
  const std::string got = WithoutDate(client.ReadAll());
  // Here the continuation is asked for before the body can have come.
  if (GetParam().name != std::string("ContinueIsNotSaidWhenTheBodyIsThere")) {
    EXPECT_EQ(got, GetParam().want);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RawRequests, testing::ValuesIn(RawCases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(HttpServerTest, GivesTheHandlerTheRequestAsSent) {
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
    ServerAnswer answer = ServerAnswer::Text(201, "text/plain", "hello");
    answer.headers.push_back({"X-Good", "yes"});
    answer.headers.push_back({"X-Bad", "a\r\nX-Injected: b"});
    answer.headers.push_back({"Bad Name", "x"});
    answer.headers.push_back({"Content-Length", "7"});
    exchange->Answer(std::move(answer));
  });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(WithoutDate(client.ReadAll()),
            "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nX-Good: yes\r\n"
            "Content-Length: 5\r\nConnection: close\r\n\r\nhello");
}

TEST(HttpServerTest, AnswersWithoutBodyHaveNoLength) {
  const auto server =
      Serve([&](const std::shared_ptr<Exchange>& exchange) { exchange->Answer({.status = 204}); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(WithoutDate(client.ReadAll()), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

TEST(HttpServerTest, ADroppedExchangeIsAnsweredWithAnError) {
  const auto server = Serve([](const std::shared_ptr<Exchange>&) {});
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("the request was not answered\n"),
              StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST(HttpServerTest, AnAnswerMayComeFromAnotherThread) {
  std::promise<std::shared_ptr<Exchange>> promise;
  const auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  promise.get_future().get()->Answer(ServerAnswer::Text(200, "text/plain", "late"));
  EXPECT_THAT(client.ReadUntil("late"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST(HttpServerTest, AnExchangeMayOutliveTheServer) {
  std::promise<std::shared_ptr<Exchange>> promise;
  auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto exchange = promise.get_future().get();
  server.reset();
  exchange->Wake();
  exchange->WakeAfter(milliseconds(1));
  exchange->Answer(ServerAnswer::Text(200, "text/plain", "nobody hears"));
  EXPECT_EQ(client.ReadAll(), "");
}

TEST(HttpServerTest, SlowSendersAreToldSoAndCutOff) {
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

TEST(HttpServerTest, APeerThatTakesNothingIsCutOff) {
  const auto channel = std::make_shared<Channel>();
  const auto server = Serve(
      [&](const std::shared_ptr<Exchange>& exchange) {
        channel->Write(std::string(64 << 20, 'x'));
        exchange->Stream({}, channel->Open(exchange));
      },
      {.send_timeout = milliseconds(50)});
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  channel->WaitUntilGone();
}

TEST(HttpServerTest, StreamsAreFlushedAtOnceAndWokenFromOtherThreads) {
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
  channel->WaitUntilGone();
  // The connection can be used again.
  client.Send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), EndsWith("\r\n\r\n"));
}

TEST(HttpServerTest, WakeAfterReadsTheSourceAgain) {
  // Ends when it is read for the third time.
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
  std::shared_ptr<Exchange> kept;
  const auto server = Serve([&](const std::shared_ptr<Exchange>& exchange) {
    kept = exchange;
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

TEST(HttpServerTest, AStreamEndsWhenItsPeerGoes) {
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
    channel->WaitUntilGone();
    channel->Write("nobody hears");
  }
}

TEST(HttpServerTest, ASlowReaderHoldsItsPlaceAndSlowsNobody) {
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
  // What the kernel's buffers and a batch hold, not more.
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
    for (const auto& client : clients) client->ReadUntil("GET / 0 ");
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

TEST(HttpServerTest, BeyondTheLimitConnectionsAreClosed) {
  const auto server = Serve(Echo, {.max_connections = 1});
  RawClient first(server->port());
  first.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  first.ReadUntil("GET / 0 ");
  RawClient second(server->port());
  EXPECT_EQ(second.ReadAll(), "");
  first.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  first.ReadUntil("GET / 0 ");
}

TEST(HttpServerTest, StopLetsAnswersEnd) {
  std::promise<std::shared_ptr<Exchange>> promise;
  const auto server =
      Serve([&](std::shared_ptr<Exchange> exchange) { promise.set_value(std::move(exchange)); });
  RawClient idle(server->port());
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  auto exchange = promise.get_future().get();
  std::thread stopper([&] { server->Stop(std::chrono::minutes(10)); });
  // The idle one is closed, so the server is stopping.
  EXPECT_EQ(idle.ReadAll(), "");
  exchange->Answer(ServerAnswer::Text(200, "text/plain", "late"));
  const std::string answer = client.ReadAll();
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("late"));
  client.Close();
  stopper.join();
  EXPECT_FALSE(RawClient(server->port()).connected());
}

TEST(HttpServerTest, StopEndsWhatOutlastsTheGrace) {
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

TEST(HttpServerTest, SaysWhyItCannotListen) {
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

TEST(HttpServerTest, ListensOnEveryAddressOfEitherKind) {
  const auto server = Serve(
      [](const std::shared_ptr<Exchange>& exchange) {
        exchange->Answer(ServerAnswer::Text(200, "text/plain", exchange->request().peer.address));
      },
      {.address = "::"});
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("127.0.0.1"), HasSubstr("200 OK"));
}

}  // namespace
}  // namespace berth::net
