// Requests per second of the HTTP server alone, over loopback: small requests with an immediate
// response.
//
// Arguments: the number of connections, and of concurrent requests on each. The server has one
// thread; its clients share another.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "net/http_server.h"

namespace berth::net {
namespace {

constexpr std::string_view kBody = R"({"kind":"Status","apiVersion":"v1","status":"Success"})";

std::unique_ptr<HttpServer> StartServer() {
  const auto body = std::make_shared<const std::string>(kBody);
  auto server = HttpServer::Start({}, [body](const std::shared_ptr<Exchange>& exchange) {
    ServerResponse response;
    response.headers = {{"Content-Type", "application/json"},
                        {"Cache-Control", "no-cache, private"}};
    response.body = {{body, *body}};
    exchange->Respond(std::move(response));
  });
  CHECK(server.has_value());
  return *std::move(server);
}

// A connection that sends one request for each response.
class Client {
 public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    constexpr int kYes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
  }
  virtual ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int socket() const { return socket_; }
  virtual void SendRequests(size_t count) = 0;
  // Reads input, and sends as many requests as it received responses. Returns their number.
  size_t HandleInput() {
    std::array<char, 65536> bytes;
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
    CHECK(size > 0);
    const size_t responses = CountResponses({bytes.data(), static_cast<size_t>(size)});
    SendRequests(responses);
    return responses;
  }

 protected:
  virtual size_t CountResponses(std::string_view bytes) = 0;
  void Send(std::string_view bytes) {
    if (bytes.empty()) return;
    CHECK(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
  }

 private:
  const int socket_;
};

class Http1Client final : public Client {
 public:
  using Client::Client;
  void SendRequests(size_t count) override {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += kRequest;
    Send(text);
  }

 private:
  static constexpr std::string_view kRequest =
      "POST /api/v1/namespaces/default/pods/pod-1/binding HTTP/1.1\r\nHost: 127.0.0.1:6443\r\n"
      "User-Agent: bench\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
      "Content-Length: 54\r\n\r\n"
      R"({"kind":"Binding","target":{"kind":"Node","name":"n"}})";

  size_t CountResponses(std::string_view bytes) override {
    received_ += bytes;
    size_t count = 0;
    for (size_t at = 0; (at = received_.find(kBody)) != std::string::npos; ++count) {
      received_.erase(0, at + kBody.size());
    }
    return count;
  }

  std::string received_;
};

class Http2Client final : public Client {
 public:
  explicit Http2Client(uint16_t port) : Client(port), session_(nullptr, nghttp2_session_del) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, int32_t, uint32_t, void* client) {
          ++static_cast<Http2Client*>(client)->closed_;
          return 0;
        });
    nghttp2_session* session = nullptr;
    nghttp2_session_client_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    session_.reset(session);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, 1 << 30);
  }

  void SendRequests(size_t count) override {
    for (size_t i = 0; i < count; ++i) {
      const std::array<nghttp2_nv, 6> fields = {
          Field(":method", "GET"),      Field(":path", "/api/v1/namespaces/default/pods/pod-1"),
          Field(":scheme", "http"),     Field(":authority", "127.0.0.1:6443"),
          Field("user-agent", "bench"), Field("accept", "application/json")};
      nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(), nullptr,
                             nullptr);
    }
    std::string text;
    const uint8_t* bytes = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_.get(), &bytes)) > 0) {
      text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    }
    Send(text);
  }

 private:
  static nghttp2_nv Field(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
      return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
  }

  size_t CountResponses(std::string_view bytes) override {
    closed_ = 0;
    CHECK(nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()),
                                   bytes.size()) >= 0);
    return closed_;
  }

  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  size_t closed_ = 0;
};

template <typename ClientKind>
void Requests(benchmark::State& state) {
  const auto server = StartServer();
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<pollfd> polled;
  for (int64_t i = 0; i < state.range(0); ++i) {
    clients.push_back(std::make_unique<ClientKind>(server->port()));
    polled.push_back({clients.back()->socket(), POLLIN, 0});
    clients.back()->SendRequests(static_cast<size_t>(state.range(1)));
  }
  size_t responses = 0;
  for (auto _ : state) {
    CHECK(::poll(polled.data(), polled.size(), -1) > 0);
    for (size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents != 0) responses += clients[i]->HandleInput();
    }
  }
  state.counters["requests/s"] =
      benchmark::Counter(static_cast<double>(responses), benchmark::Counter::kIsRate);
}

BENCHMARK(Requests<Http1Client>)
    ->Name("http1_requests")
    ->Args({1, 1})
    ->Args({16, 1})
    ->Args({256, 1})
    ->Args({4, 16})
    ->UseRealTime();
BENCHMARK(Requests<Http2Client>)
    ->Name("http2_requests")
    ->Args({1, 1})
    ->Args({1, 64})
    ->Args({16, 16})
    ->UseRealTime();

}  // namespace
}  // namespace berth::net
