#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "testing/fake_http_server.h"
#include "testing/http_requests.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

using testing::StartsWith;

// Long enough never to expire.
constexpr Duration kLong = Duration::Seconds(600);

FakeResponse Echo(const ReceivedRequest& request) { return {.body = "echo " + request.body}; }
FakeResponse Nothing(const ReceivedRequest&) { return {.body = {}, .none = true}; }

FakeHttpServer::Handler Raw(std::string text) {
  return [text = std::move(text)](const ReceivedRequest&) {
    return FakeResponse{.body = {}, .raw = text};
  };
}

class HttpClientTest : public testing::Test {
 protected:
  HttpClientTest() { loop_.Start(); }

  std::unique_ptr<HttpClient> Client(HttpClientOptions options = {}) {
    auto client = HttpClient::Create(loop_, std::move(options));
    EXPECT_TRUE(client.has_value()) << client.error().message;
    return *std::move(client);
  }

  // Starts a request.
  static HttpFuture Begin(HttpClient& client, const std::string& url, const std::string& body,
                          Duration timeout = kLong, HttpClient::RequestId* id = nullptr) {
    auto promise = std::make_shared<std::promise<HttpResult<HttpResponse>>>();
    HttpFuture future(promise->get_future());
    const auto given =
        client.Post(url, {{"Content-Type", "text/plain"}}, body, timeout,
                    [promise](HttpResult<HttpResponse> r) { promise->set_value(std::move(r)); });
    if (id != nullptr) *id = given;
    return future;
  }

  static HttpResult<HttpResponse> Post(HttpClient& client, const std::string& url,
                                       const std::string& body, Duration timeout = kLong) {
    return Begin(client, url, body, timeout).get();
  }

  // Returns "200 body", or what follows "POST <url>: " in the error.
  static std::string Outcome(HttpClient& client, const std::string& url, Duration timeout = kLong) {
    const auto response = Post(client, url, "x", timeout);
    if (response) return std::to_string(response->status) + " " + response->body;
    const std::string prefix = "POST " + url + ": ";
    EXPECT_THAT(response.error().message, StartsWith(prefix));
    return response.error().message.substr(prefix.size());
  }

  EventLoop loop_;
};

// The second request waits for the only connection when it is no longer allowed.
TEST_F(HttpClientTest, AsksWhetherARequestMayBeSentWhenItIsSent) {
  std::atomic<bool> allowed = true;
  FakeHttpServer server([&](const ReceivedRequest& request) {
    allowed = false;
    return Echo(request);
  });
  const auto client = Client({.max_connections_per_host = 1});
  const auto begin = [&](std::string body) {
    auto promise = std::make_shared<std::promise<HttpResult<HttpResponse>>>();
    client->Send({.method = "POST",
                  .url = server.url(),
                  .body = std::move(body),
                  .timeout = kLong,
                  .may_send = [&allowed] { return allowed.load(); }},
                 [promise](HttpResult<HttpResponse> r) { promise->set_value(std::move(r)); });
    return promise->get_future();
  };
  auto first = begin("1");
  auto second = begin("2");
  EXPECT_TRUE(first.get().has_value());
  const auto refused = second.get();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, HttpError::Kind::kCancelled);
  EXPECT_EQ(server.requests().size(), 1);
}

TEST_F(HttpClientTest, PostsAndGetsTheResponse) {
  FakeHttpServer server([](const ReceivedRequest& request) {
    return FakeResponse{.status = 404, .body = "echo " + request.body};
  });
  const auto client = Client();
  const auto response = Post(*client, server.url() + "/a/b?c=d", "hello");
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "echo hello");
  EXPECT_EQ(response->header("content-length"), "10");
  EXPECT_EQ(response->header("x-none"), "");

  ASSERT_EQ(server.requests().size(), 1u);
  const ReceivedRequest request = server.requests()[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a/b?c=d");
  EXPECT_EQ(request.host, "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(request.content_type, "text/plain");
  EXPECT_EQ(request.body, "hello");
}

TEST_F(HttpClientTest, SendsAndReceivesLargeBodies) {
  FakeHttpServer server(Echo);
  const auto client = Client();
  const std::string large(5 << 20, 'x');
  const auto response = Post(*client, server.url(), large);
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_TRUE(response->body == "echo " + large);
}

TEST_F(HttpClientTest, ResolvesHostNames) {
  FakeHttpServer server(Echo);
  const auto client = Client();
  EXPECT_EQ(Outcome(*client, "http://localhost:" + std::to_string(server.port())), "200 echo x");
  // Longer than a valid name, so that no name server is queried.
  const std::string too_long(80, 'x');
  EXPECT_THAT(Outcome(*client, "http://" + too_long + "/"), StartsWith("host " + too_long + ": "));
}

TEST_F(HttpClientTest, ReusesConnections) {
  FakeHttpServer server(Echo);
  const auto client = Client();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Outcome(*client, server.url() + "/x"), "200 echo x");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(HttpClientTest, DropsIdleConnectionsThatTheServerCloses) {
  // The response promises to keep the connection open; then the server closes it.
  FakeHttpServer server(Raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  const auto client = Client();
  for (size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(Outcome(*client, server.url()), "200 ok");
    server.WaitForClosed(i);
    EXPECT_EQ(server.connections(), i);
  }
}

TEST_F(HttpClientTest, DropsConnectionsThatWereIdleTooLong) {
  FakeHttpServer server(Echo);
  const auto client = Client({.idle_limit = Duration::Millis(1)});
  EXPECT_EQ(Outcome(*client, server.url()), "200 echo x");
  server.WaitForClosed(1);
}

TEST_F(HttpClientTest, UsesTheConnectionsOfABurstForTheNextOne) {
  FakeHttpServer server(Echo);
  const auto client = Client({.max_connections_per_host = 20});
  for (int burst = 0; burst < 3; ++burst) {
    std::vector<HttpFuture> responses;
    for (int i = 0; i < 40; ++i) responses.push_back(Begin(*client, server.url(), "x"));
    for (HttpFuture& response : responses) EXPECT_TRUE(response.get().has_value());
  }
  EXPECT_LE(server.connections(), 20u);
}

TEST_F(HttpClientTest, MisbehavingServersGiveErrors) {
  const struct {
    const char* name;
    std::string raw;
    const char* want;
  } cases[] = {
      {"closed at once", "", "the server closed the connection without an answer"},
      {"closed in the headers", "HTTP/1.1 200 OK\r\nContent-Le",
       "the server closed the connection before the answer was complete"},
      {"closed in the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
       "the server closed the connection before the answer was complete"},
      {"closed in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
       "the server closed the connection before the answer was complete"},
      {"another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n",
       "this is not an HTTP/1.1 answer: bad version"},
      {"no status", "HTTP/1.1 000 OK\r\n\r\nabc", "this is not an HTTP/1.1 answer: bad status"},
      {"longer than allowed", "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
       "the answer is longer than 100 bytes"},
      {"longer than allowed, in chunks",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x') +
           "\r\n0\r\n\r\n",
       "the answer is longer than 100 bytes"},
      {"endless headers", "HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x'),
       "the headers of the answer are longer than 65536 bytes"},
  };
  const auto client = Client({.max_body_bytes = 100});
  for (const auto& c : cases) {
    FakeHttpServer server(Raw(c.raw));
    EXPECT_EQ(Outcome(*client, server.url()), c.want) << c.name;
  }
}

TEST_F(HttpClientTest, ParsesUnusualResponses) {
  const struct {
    const char* name;
    const char* raw;
    const char* want;
  } cases[] = {
      {"ends with the connection", "HTTP/1.1 200 OK\r\n\r\nall of it", "200 all of it"},
      {"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", "200 a"},
      {"chunks",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
       "200 abc"},
      {"continue first",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\na", "201 a"},
      {"redirect", "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "302 "},
  };
  const auto client = Client();
  for (const auto& c : cases) {
    FakeHttpServer server(Raw(c.raw));
    EXPECT_EQ(Outcome(*client, server.url()), c.want) << c.name;
  }
}

TEST_F(HttpClientTest, AbsentServerIsAnError) {
  const std::string url = FakeHttpServer(Echo).url();
  EXPECT_EQ(Outcome(*Client(), url), "connection refused");
}

TEST_F(HttpClientTest, BadUrlIsAnError) {
  const auto response = Post(*Client(), "ftp://h", "x");
  ASSERT_FALSE(response.has_value());
  EXPECT_EQ(response.error().message,
            R"(POST ftp://h: URL "ftp://h": it must begin with http:// or https://)");
}

TEST_F(HttpClientTest, RequestsTimeOut) {
  FakeHttpServer server(Nothing);
  const auto client = Client();
  EXPECT_EQ(Outcome(*client, server.url(), Duration::Millis(20)), "no answer within 20ms");
}

TEST_F(HttpClientTest, TheTimeoutIncludesTheWaitForAConnection) {
  FakeHttpServer server(Nothing);
  const auto client = Client({.max_connections_per_host = 1});
  HttpClient::RequestId id = 0;
  auto first = Begin(*client, server.url(), "first", Duration(), &id);
  server.WaitForRequests(1);
  EXPECT_EQ(Outcome(*client, server.url(), Duration::Millis(20)), "no answer within 20ms");
  EXPECT_EQ(server.connections(), 1u);
  client->Cancel(id);
  EXPECT_EQ(first.get().error().message, "POST " + server.url() + ": cancelled");
}

TEST_F(HttpClientTest, ACancelledRequestFreesItsConnection) {
  FakeHttpServer server([](const ReceivedRequest& request) {
    return request.body == "first" ? Nothing(request) : Echo(request);
  });
  const auto client = Client({.max_connections_per_host = 1});
  HttpClient::RequestId id = 0;
  auto first = Begin(*client, server.url(), "first", kLong, &id);
  server.WaitForRequests(1);
  auto second = Begin(*client, server.url(), "second");
  client->Cancel(id);
  client->Cancel(id);
  client->Cancel(id + 1000);
  EXPECT_EQ(first.get().error().message, "POST " + server.url() + ": cancelled");
  EXPECT_EQ(second.get()->body, "echo second");
}

TEST_F(HttpClientTest, DestructionCancelsRequests) {
  FakeHttpServer server(Nothing);
  auto client = Client();
  auto pending = Begin(*client, server.url(), "x");
  server.WaitForRequests(1);
  client.reset();
  EXPECT_EQ(pending.get().error().message, "POST " + server.url() + ": cancelled");
  server.WaitForClosed(1);
}

TEST_F(HttpClientTest, ServesManyThreadsOverFewConnections) {
  constexpr int kThreads = 8;
  constexpr int kRequests = 50;
  FakeHttpServer server(Echo);
  const auto client = Client({.max_connections_per_host = 4});
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<HttpFuture> responses;
      const auto body = [&](int i) { return std::to_string(t * kRequests + i); };
      for (int i = 0; i < kRequests; ++i) {
        responses.push_back(Begin(*client, server.url(), body(i)));
      }
      for (int i = 0; i < kRequests; ++i) {
        const auto response = responses[static_cast<size_t>(i)].get();
        if (response && response->body == "echo " + body(i)) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kThreads * kRequests);
  EXPECT_LE(server.connections(), 4u);
}

TEST(HttpClient, RunsOnTheCallersThread) {
  FakeHttpServer server(Echo);
  EventLoop loop;
  const auto client = HttpClient::Create(loop, {}).value();
  std::thread::id where;
  client->Post(server.url(), {}, "x", kLong, [&](const HttpResult<HttpResponse>& response) {
    EXPECT_EQ(response.value().body, "echo x");
    where = std::this_thread::get_id();
    loop.Stop();
  });
  loop.Run();
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(HttpClient, TheLoopMayStopWithPendingRequests) {
  FakeHttpServer server(Nothing);
  EventLoop loop;
  loop.Start();
  const auto client = HttpClient::Create(loop, {}).value();
  client->Post(server.url(), {}, "x", kLong, [](const HttpResult<HttpResponse>&) { FAIL(); });
  server.WaitForRequests(1);
  loop.Stop();
}

// --- TLS ---

class HttpClientTlsTest : public HttpClientTest {
 protected:
  berth::ServerTls Server(const std::string& names, bool expired = false) const {
    return {MakeCertificate(authority_, "server", names, expired), ""};
  }

  std::string Try(const berth::ServerTls& server_tls, TlsOptions options) {
    FakeHttpServer server(Echo, server_tls);
    const auto client = Client({.tls = std::move(options)});
    return Outcome(*client, server.url() + "/x");
  }

  const Certificate authority_ = MakeAuthority("ours");
  const Certificate stranger_ = MakeAuthority("another");
};

TEST_F(HttpClientTlsTest, VerifiesTheServersCertificate) {
  const berth::ServerTls by_address = Server("IP:127.0.0.1");
  const berth::ServerTls by_name = Server("DNS:x.example.com");
  const struct {
    const char* name;
    berth::ServerTls server;
    TlsOptions options;
    const char* want;
  } cases[] = {
      {"right", by_address, {.ca_data = authority_.certificate}, "200 echo x"},
      {"unknown authority",
       by_address,
       {.ca_data = stranger_.certificate},
       "TLS: certificate verify failed (unable to get local issuer certificate)"},
      {"the system's authorities",
       by_address,
       {},
       "TLS: certificate verify failed (unable to get local issuer certificate)"},
      {"insecure", by_name, {.insecure = true}, "200 echo x"},
      {"for another host",
       by_name,
       {.ca_data = authority_.certificate},
       "TLS: certificate verify failed (IP address mismatch)"},
      {"server name",
       by_name,
       {.server_name = "x.example.com", .ca_data = authority_.certificate},
       "200 echo x"},
      {"wrong server name",
       by_name,
       {.server_name = "y.example.com", .ca_data = authority_.certificate},
       "TLS: certificate verify failed (hostname mismatch)"},
      // The subject's common name is "server".
      {"name of the subject",
       by_name,
       {.server_name = "server", .ca_data = authority_.certificate},
       "TLS: certificate verify failed (hostname mismatch)"},
      {"expired",
       Server("IP:127.0.0.1", true),
       {.ca_data = authority_.certificate},
       "TLS: certificate verify failed (certificate has expired)"},
  };
  for (const auto& c : cases) EXPECT_EQ(Try(c.server, c.options), c.want) << c.name;
}

TEST_F(HttpClientTlsTest, PresentsItsCertificate) {
  berth::ServerTls server = Server("IP:127.0.0.1");
  server.client_authority = authority_.certificate;
  TlsOptions options{.ca_data = authority_.certificate};
  EXPECT_EQ(Try(server, options), "TLS: tlsv13 alert certificate required");

  const Certificate own = MakeCertificate(authority_, "client", "DNS:client");
  options.cert_data = own.certificate;
  options.key_data = own.key;
  EXPECT_EQ(Try(server, options), "200 echo x");

  const Certificate wrong = MakeCertificate(stranger_, "client", "DNS:client");
  options.cert_data = wrong.certificate;
  options.key_data = wrong.key;
  EXPECT_EQ(Try(server, options), "TLS: tlsv1 alert unknown ca");
}

TEST_F(HttpClientTlsTest, ReusesConnections) {
  FakeHttpServer server(Echo, Server("IP:127.0.0.1"));
  const auto client = Client({.tls = {.ca_data = authority_.certificate}});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Outcome(*client, server.url()), "200 echo x");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(HttpClientTlsTest, ServersOfAnotherProtocolGiveErrors) {
  const auto client = Client({.tls = {.insecure = true}});
  FakeHttpServer plain(Raw("hello"));
  EXPECT_EQ(Outcome(*client, "https://127.0.0.1:" + std::to_string(plain.port())),
            "TLS: wrong version number");
  FakeHttpServer cut(Raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
                     Server("IP:127.0.0.1"));
  EXPECT_EQ(Outcome(*client, cut.url()),
            "the server closed the connection before the answer was complete");
  FakeHttpServer silent(Raw(""), Server("IP:127.0.0.1"));
  EXPECT_EQ(Outcome(*client, silent.url()), "the server closed the connection without an answer");
}

TEST_F(HttpClientTlsTest, RejectsInvalidOptions) {
  const Certificate a = MakeCertificate(authority_, "a", "DNS:a");
  const Certificate b = MakeCertificate(authority_, "b", "DNS:b");
  const struct {
    TlsOptions options;
    const char* want;
  } cases[] = {
      {{.insecure = true, .ca_data = authority_.certificate},
       "specifying a root certificates file with the insecure flag is not allowed"},
      {{.ca_file = "/no/such/file"}, "caFile \"/no/such/file\": No such file or directory"},
      {{.ca_file = "/"}, "caFile \"/\": Is a directory"},
      {{.ca_data = "nonsense"}, "caData: this is not a PEM certificate: "},
      {{.cert_file = "/no/such/cert"}, "certFile \"/no/such/cert\": No such file or directory"},
      {{.cert_data = "nonsense", .key_data = a.key}, "certData: this is not a PEM certificate: "},
      {{.cert_data = a.certificate, .key_data = "nonsense"},
       "keyData: this is not the PEM key of the certificate: "},
      {{.cert_data = a.certificate, .key_data = b.key},
       "keyData: this is not the PEM key of the certificate: "},
  };
  for (const auto& c : cases) {
    const auto client = HttpClient::Create(loop_, {.tls = c.options});
    ASSERT_FALSE(client.has_value()) << c.want;
    EXPECT_THAT(client.error().message, StartsWith(c.want));
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
