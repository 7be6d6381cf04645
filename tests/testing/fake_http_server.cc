#include "testing/fake_http_server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

namespace berth {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

using TlsStream = ssl::stream<tcp::socket>;

// What the test's thread looks at.
struct Log {
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::vector<ReceivedRequest> requests;
  size_t connections = 0;
  size_t closed = 0;

  template <typename Change>
  void Note(Change change) {
    {
      const std::lock_guard lock(mutex);
      change();
    }
    changed.notify_all();
  }
};

template <typename Stream>
class Session : public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(Stream stream, const FakeHttpServer::Handler& handler, Log& log)
      : stream_(std::move(stream)), handler_(handler), log_(log) {}

  void Start() {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_handshake(ssl::stream_base::server,
                              [self = this->shared_from_this()](const error_code& error) {
                                // Drained, not closed, so that the client gets to see the alert.
                                return error ? self->Drain() : self->Read();
                              });
    } else {
      Read();
    }
  }

 private:
  void Read() {
    parser_.emplace();
    parser_->body_limit(boost::none);
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](const error_code& error, size_t) {
                       if (!error) return self->Serve();
                       if (error == http::error::end_of_stream) return self->Closed();
                       self->WriteRaw("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
                     });
  }

  void Serve() {
    auto& message = parser_->get();
    ReceivedRequest request{.method = std::string(message.method_string()),
                            .target = std::string(message.target()),
                            .host = std::string(message[http::field::host]),
                            .content_type = std::string(message[http::field::content_type]),
                            .body = std::move(message.body())};
    log_.Note([&] { log_.requests.push_back(request); });
    FakeResponse response = handler_(request);
    if (response.none) return Drain();
    if (response.raw) return WriteRaw(*std::move(response.raw));
    response_ = {};
    response_.version(11);
    response_.result(static_cast<unsigned>(response.status));
    response_.body() = std::move(response.body);
    response_.keep_alive(true);
    response_.prepare_payload();
    http::async_write(stream_, response_,
                      [self = this->shared_from_this()](const error_code& error, size_t) {
                        return error ? self->Closed() : self->Read();
                      });
  }

  void WriteRaw(std::string text) {
    raw_ = std::move(text);
    asio::async_write(stream_, asio::buffer(raw_),
                      [self = this->shared_from_this()](const error_code&, size_t) {
                        error_code ignored;
                        self->stream_.lowest_layer().shutdown(tcp::socket::shutdown_send, ignored);
                        self->Drain();
                      });
  }

  // Reads whatever comes until the client closes.
  void Drain() {
    auto& socket = stream_.lowest_layer();
    socket.async_wait(tcp::socket::wait_read, [self = this->shared_from_this(),
                                               &socket](const error_code& error) {
      std::array<char, 4096> bytes;
      const ssize_t size =
          error ? 0 : ::recv(socket.native_handle(), bytes.data(), bytes.size(), 0);
      return size <= 0 ? self->Closed() : self->Drain();
    });
  }

  void Closed() {
    error_code ignored;
    stream_.lowest_layer().close(ignored);
    log_.Note([&] { ++log_.closed; });
  }

  Stream stream_;
  const FakeHttpServer::Handler& handler_;
  Log& log_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  std::string raw_;
};

ssl::context MakeContext(const ServerTls& tls) {
  ssl::context context(ssl::context::tls_server);
  context.use_certificate_chain(asio::buffer(tls.own.certificate));
  context.use_private_key(asio::buffer(tls.own.key), ssl::context::pem);
  if (!tls.client_authority.empty()) {
    context.add_certificate_authority(asio::buffer(tls.client_authority));
    context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  }
  return context;
}

}  // namespace

struct FakeHttpServer::Parts {
  Parts(Handler h, const std::optional<ServerTls>& server_tls) : handler(std::move(h)) {
    if (server_tls) tls.emplace(MakeContext(*server_tls));
    Accept();
    thread = std::thread([this] { context.run(); });
  }

  ~Parts() {
    context.stop();
    thread.join();
  }

  void Accept() {
    acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error) return;
      log.Note([&] { ++log.connections; });
      if (tls) {
        TlsStream stream(std::move(socket), *tls);
        std::make_shared<Session<TlsStream>>(std::move(stream), handler, log)->Start();
      } else {
        std::make_shared<Session<tcp::socket>>(std::move(socket), handler, log)->Start();
      }
      Accept();
    });
  }

  const Handler handler;
  Log log;
  std::optional<ssl::context> tls;
  asio::io_context context;
  tcp::acceptor acceptor{context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  const uint16_t port = acceptor.local_endpoint().port();
  std::thread thread;
};

FakeHttpServer::FakeHttpServer(Handler handler, std::optional<ServerTls> tls)
    : parts_(std::make_unique<Parts>(std::move(handler), tls)) {}

FakeHttpServer::~FakeHttpServer() = default;

std::string FakeHttpServer::url() const {
  return fmt::format("{}://127.0.0.1:{}", parts_->tls ? "https" : "http", port());
}

uint16_t FakeHttpServer::port() const { return parts_->port; }

std::vector<ReceivedRequest> FakeHttpServer::requests() const {
  const std::lock_guard lock(parts_->log.mutex);
  return parts_->log.requests;
}

size_t FakeHttpServer::connections() const {
  const std::lock_guard lock(parts_->log.mutex);
  return parts_->log.connections;
}

void FakeHttpServer::WaitForClosed(size_t count) {
  std::unique_lock lock(parts_->log.mutex);
  parts_->log.changed.wait(lock, [&] { return parts_->log.closed >= count; });
}

void FakeHttpServer::WaitForRequests(size_t count) {
  std::unique_lock lock(parts_->log.mutex);
  parts_->log.changed.wait(lock, [&] { return parts_->log.requests.size() >= count; });
}

}  // namespace berth
