#include "testing/fake_port_forwarder.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <mutex>
#include <thread>
#include <utility>

namespace berth {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
namespace websocket = beast::websocket;
using asio::use_awaitable;
using asio::ip::tcp;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr const char* kSubprotocol = "v4.channel.k8s.io";

std::string Channel(char channel, std::string_view bytes) {
  return std::string(1, channel) + std::string(bytes);
}

template <typename WebSocket>
asio::awaitable<void> Send(WebSocket& web, std::string message) {
  co_await web.async_write(asio::buffer(message), use_awaitable);
}

// The connection of a pod to a client; both directions own it.
template <typename Stream>
struct Forwarding {
  websocket::stream<Stream> web;
  tcp::socket pod;
};

template <typename Stream>
asio::awaitable<void> FromPod(std::shared_ptr<Forwarding<Stream>> both) {
  std::array<char, 32 << 10> bytes{};
  for (;;) {
    boost::system::error_code end;
    const size_t size = co_await both->pod.async_read_some(
        asio::buffer(bytes), asio::redirect_error(use_awaitable, end));
    if (end) break;
    co_await Send(both->web, Channel(0, {bytes.data(), size}));
  }
  co_await both->web.async_close(websocket::close_code::normal, use_awaitable);
}

template <typename Stream>
asio::awaitable<void> ToPod(std::shared_ptr<Forwarding<Stream>> both) {
  for (;;) {
    beast::flat_buffer message;
    boost::system::error_code end;
    const size_t size =
        co_await both->web.async_read(message, asio::redirect_error(use_awaitable, end));
    if (end) break;
    const std::string_view bytes(static_cast<const char*>(message.data().data()), size);
    if (!bytes.starts_with('\0')) continue;
    co_await asio::async_write(both->pod, asio::buffer(bytes.substr(1)), use_awaitable);
  }
  both->pod.close();
}

// Forwards to `port`, after the first messages of both channels.
template <typename Stream>
asio::awaitable<void> Forward(Stream stream, const Request& request, uint16_t port) {
  const auto executor = co_await asio::this_coro::executor;
  const auto both = std::make_shared<Forwarding<Stream>>(
      Forwarding<Stream>{websocket::stream<Stream>(std::move(stream)), tcp::socket(executor)});
  auto& web = both->web;
  web.binary(true);
  web.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
    response.set(http::field::sec_websocket_protocol, kSubprotocol);
  }));
  co_await web.async_accept(request, use_awaitable);
  constexpr std::string_view kPort = "\x13\x28";  // 10259, as little endian.
  co_await Send(web, Channel(0, kPort));
  co_await Send(web, Channel(1, kPort));
  boost::system::error_code error;
  co_await both->pod.async_connect({asio::ip::address_v4::loopback(), port},
                                   asio::redirect_error(use_awaitable, error));
  if (error) {
    co_await Send(web, Channel(1, "error forwarding port 10259: " + error.message()));
    co_await web.async_close(websocket::close_code::normal, use_awaitable);
    co_return;
  }
  asio::co_spawn(executor, FromPod(both), asio::detached);
  co_await ToPod(both);
}

Response Refusal(http::status status, const std::string& body,
                 const char* content_type = "application/json") {
  Response response(status, 11);
  response.body() = body;
  response.set(http::field::content_type, content_type);
  response.prepare_payload();
  return response;
}

// The kubelet's route for port-forwards declares no media type, so that only "*/*" matches it.
bool KubeletAccepts(const Request& request) {
  const std::string accept(request[http::field::accept]);
  return accept.empty() || accept.find("*/*") != std::string::npos;
}

asio::awaitable<Response> AskUpstream(Request request, uint16_t port) {
  if (port == 0) co_return Refusal(http::status::not_found, "{}");
  beast::tcp_stream upstream(co_await asio::this_coro::executor);
  co_await upstream.async_connect(tcp::endpoint(asio::ip::address_v4::loopback(), port),
                                  use_awaitable);
  co_await http::async_write(upstream, request, use_awaitable);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  co_await http::async_read(upstream, buffer, parser, use_awaitable);
  co_return parser.release();
}

}  // namespace

struct FakePortForwarder::Parts {
  explicit Parts(ForwarderOptions given) : options(std::move(given)) {
    if (options.own) {
      tls.use_certificate_chain(asio::buffer(options.own->certificate));
      tls.use_private_key(asio::buffer(options.own->key), ssl::context::pem);
    }
    asio::co_spawn(context, Accept(), asio::detached);
    thread = std::thread([this] { context.run(); });
  }
  ~Parts() {
    context.stop();
    thread.join();
  }

  asio::awaitable<void> Accept() {
    for (;;) {
      tcp::socket socket = co_await acceptor.async_accept(use_awaitable);
      asio::co_spawn(context, Serve(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> Serve(tcp::socket socket) {
    beast::tcp_stream plain(std::move(socket));
    if (!options.own) co_return co_await Answer(std::move(plain));
    ssl::stream<beast::tcp_stream> stream(std::move(plain), tls);
    co_await stream.async_handshake(ssl::stream_base::server, use_awaitable);
    co_await Answer(std::move(stream));
  }

  template <typename Stream>
  asio::awaitable<void> Answer(Stream stream) {
    beast::flat_buffer buffer;
    for (;;) {
      Request request;
      co_await http::async_read(stream, buffer, request, use_awaitable);
      if (!websocket::is_upgrade(request)) {
        co_await http::async_write(stream, co_await AskUpstream(request, options.upstream),
                                   use_awaitable);
        continue;
      }
      const std::string target(request.target());
      {
        const std::lock_guard lock(mutex);
        const std::string authorization(request[http::field::authorization]);
        forwarded.push_back(target + (authorization.empty() ? "" : " " + authorization));
      }
      const auto port = options.port_for(target);
      if (port && !KubeletAccepts(request)) {
        co_await http::async_write(
            stream,
            Refusal(http::status::not_acceptable,
                    "406: Not Acceptable\n\nAvailable representations: ", "text/plain"),
            use_awaitable);
        continue;
      }
      const bool speaks = request[http::field::sec_websocket_protocol] == kSubprotocol;
      if (port && speaks) co_return co_await Forward(std::move(stream), request, *port);
      co_await http::async_write(
          stream,
          Refusal(http::status::forbidden,
                  R"({"kind":"Status","reason":"Forbidden","message":"no port-forward for you"})"),
          use_awaitable);
    }
  }

  const ForwarderOptions options;
  asio::io_context context;
  ssl::context tls{ssl::context::tls_server};
  tcp::acceptor acceptor{context, {asio::ip::address_v4::loopback(), 0}};
  std::thread thread;
  mutable std::mutex mutex;
  std::vector<std::string> forwarded;  // Guarded by the mutex.
};

FakePortForwarder::FakePortForwarder(ForwarderOptions options)
    : parts_(std::make_unique<Parts>(std::move(options))) {}

FakePortForwarder::~FakePortForwarder() = default;

std::string FakePortForwarder::url() const {
  return fmt::format("{}://127.0.0.1:{}", parts_->options.own ? "https" : "http",
                     parts_->acceptor.local_endpoint().port());
}

std::vector<std::string> FakePortForwarder::forwarded() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->forwarded;
}

}  // namespace berth
