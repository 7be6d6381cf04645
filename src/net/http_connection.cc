#include "net/http_connection.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <cerrno>
#include <optional>
#include <utility>

namespace berth::net {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

using PlainStream = tcp::socket;
using TlsStream = ssl::stream<tcp::socket>;

constexpr uint32_t kMaxHeaderBytes = 64 << 10;
constexpr unsigned kHttp11 = 11;

bool IsAddress(const std::string& host) {
  error_code error;
  asio::ip::make_address(host, error);
  return !error;
}

// What happened, fit for the end of an error message.
std::string Describe(const error_code& error, size_t max_body_bytes) {
  if (error == http::error::end_of_stream || error == asio::error::eof) {
    return "the server closed the connection without an answer";
  }
  if (error == http::error::partial_message || error == ssl::error::stream_truncated) {
    return "the server closed the connection before the answer was complete";
  }
  if (error == http::error::body_limit) {
    return fmt::format("the answer is longer than {} bytes", max_body_bytes);
  }
  if (error == http::error::header_limit) {
    return fmt::format("the headers of the answer are longer than {} bytes", kMaxHeaderBytes);
  }
  if (error.category() == make_error_code(http::error::body_limit).category()) {
    return fmt::format("this is not an HTTP/1.1 answer: {}", error.message());
  }
  if (error.category() == asio::error::get_ssl_category()) {
    const char* reason = ERR_reason_error_string(static_cast<unsigned long>(error.value()));
    return fmt::format("TLS: {}", reason != nullptr ? reason : error.message());
  }
  std::string text = error.message();
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

// The same for an error during the handshake, which may be about the server's certificate.
std::string DescribeHandshake(SSL* session, const error_code& error) {
  const long verified = SSL_get_verify_result(session);
  if (error.category() == asio::error::get_ssl_category() && verified != X509_V_OK) {
    return fmt::format("TLS: certificate verify failed ({})",
                       X509_verify_cert_error_string(verified));
  }
  if (error == ssl::error::stream_truncated || error == asio::error::eof) {
    return "TLS: the server closed the connection during the handshake";
  }
  return Describe(error, 0);
}

// Makes the handshake ask for `name`, and check that the certificate is for it.
void ExpectServer(SSL* session, const std::string& name) {
  X509_VERIFY_PARAM* checks = SSL_get0_param(session);
  if (IsAddress(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(checks, name.c_str());
    return;
  }
  SSL_set_tlsext_host_name(session, name.c_str());
  // As in Go, the subject's common name does not count.
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  X509_VERIFY_PARAM_set1_host(checks, name.c_str(), name.size());
}

template <typename Stream>
class Connection final : public HttpConnection,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  template <typename... StreamArguments>
  Connection(asio::io_context& context, Url origin, std::string server_name, size_t max_body_bytes,
             StreamArguments&&... arguments)
      : origin_(std::move(origin)),
        server_name_(server_name.empty() ? origin_.host : std::move(server_name)),
        max_body_bytes_(max_body_bytes),
        resolver_(context),
        rest_timer_(context),
        stream_(context, std::forward<StreamArguments>(arguments)...) {}

  void Post(HttpRequest request, Done done) override {
    EndRest();
    done_ = std::move(done);
    message_ = {http::verb::post, request.url.target, kHttp11};
    message_.set(http::field::host, request.url.authority());
    message_.set(http::field::user_agent, "berth");
    for (const HttpHeader& header : request.headers) message_.set(header.name, header.value);
    message_.body() = std::move(request.body);
    message_.prepare_payload();
    if (open_) {
      Write();
    } else {
      Resolve();
    }
  }

  void Rest(Duration limit, std::function<void()> on_lost) override {
    on_lost_ = std::move(on_lost);
    // Weak, so that a resting connection goes when nobody keeps it.
    const auto lost = [weak = this->weak_from_this(), rest = ++rests_](const error_code& error) {
      const auto self = weak.lock();
      if (error || !self || rest != self->rests_ || !self->on_lost_) return;
      const auto tell = std::exchange(self->on_lost_, nullptr);
      tell();
    };
    rest_timer_.expires_after(std::chrono::nanoseconds(limit.nanos));
    rest_timer_.async_wait(lost);
    socket().async_wait(tcp::socket::wait_read, lost);
  }

  bool StillGood() override {
    char byte = 0;
    const ssize_t size =
        ::recv(socket().native_handle(), &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

  void Close() override {
    EndRest();
    done_ = nullptr;
    resolver_.cancel();
    error_code ignored;
    socket().close(ignored);
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  auto& socket() { return stream_.lowest_layer(); }

  void EndRest() {
    on_lost_ = nullptr;
    ++rests_;
    rest_timer_.cancel();
    error_code ignored;
    if (socket().is_open()) socket().cancel(ignored);
  }

  // Wraps `next`, a step, as the handler of an operation: not taken after Close, and keeps this
  // alive.
  template <typename Next>
  auto Then(Next next) {
    return [self = this->shared_from_this(), next](const error_code& error, auto&&... results) {
      if (self->done_) next(error, results...);
    };
  }

  void Resolve() {
    const std::string port = std::to_string(origin_.port);
    error_code not_address;
    const auto address = asio::ip::make_address(origin_.host, not_address);
    if (!not_address) {
      const tcp::endpoint endpoint(address, origin_.port);
      return Connect(tcp::resolver::results_type::create(endpoint, origin_.host, port));
    }
    resolver_.async_resolve(
        origin_.host, port, tcp::resolver::numeric_service,
        Then([this](const error_code& error, const tcp::resolver::results_type& found) {
          if (!error) return Connect(found);
          Failed(fmt::format("host {}: {}", origin_.host, Describe(error, 0)));
        }));
  }

  void Connect(const tcp::resolver::results_type& endpoints) {
    asio::async_connect(socket(), endpoints, Then([this](const error_code& error, const auto&) {
                          if (error) return Failed(Describe(error, 0));
                          error_code ignored;
                          socket().set_option(tcp::no_delay(true), ignored);
                          Handshake();
                        }));
  }

  void Handshake() {
    if constexpr (kTls) {
      ExpectServer(stream_.native_handle(), server_name_);
      stream_.async_handshake(ssl::stream_base::client, Then([this](const error_code& error) {
                                if (error) {
                                  return Failed(DescribeHandshake(stream_.native_handle(), error));
                                }
                                open_ = true;
                                Write();
                              }));
    } else {
      open_ = true;
      Write();
    }
  }

  void Write() {
    write_error_ = {};
    http::async_write(stream_, message_, Then([this](const error_code& error, size_t) {
                        // A server that does not want to read all may have answered before.
                        write_error_ = error;
                        Read();
                      }));
  }

  void Read() {
    parser_.emplace();
    parser_->body_limit(max_body_bytes_);
    parser_->header_limit(kMaxHeaderBytes);
    http::async_read(stream_, buffer_, *parser_,
                     Then([this](const error_code& error, size_t) { Answered(error); }));
  }

  void Answered(error_code error) {
    if (error == ssl::error::stream_truncated && !parser_->got_some()) {
      error = http::error::end_of_stream;
    }
    // What cut the request off, unless the server says so itself.
    if (error && write_error_ && error.category() != asio::error::get_ssl_category()) {
      error = write_error_;
    }
    if (error) return Failed(Describe(error, max_body_bytes_));
    const int status = static_cast<int>(parser_->get().result_int());
    // 1xx only announces the answer.
    if (status < 200 && status != 101) return Read();

    HttpResponse response{.status = status, .headers = {}, .body = {}};
    for (const auto& field : parser_->get()) {
      response.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    }
    response.body = std::move(parser_->get().body());
    const bool reusable = parser_->keep_alive() && buffer_.size() == 0 && !write_error_;
    std::exchange(done_, nullptr)(std::move(response), reusable);
  }

  void Failed(std::string problem) {
    std::exchange(done_, nullptr)(Fail(std::move(problem)), false);
  }

  const Url origin_;
  const std::string server_name_;
  const size_t max_body_bytes_;
  tcp::resolver resolver_;
  asio::steady_timer rest_timer_;
  Stream stream_;
  bool open_ = false;

  // Of the request under way.
  http::request<http::string_body> message_;
  error_code write_error_;
  std::optional<http::response_parser<http::string_body>> parser_;
  boost::beast::flat_buffer buffer_;
  Done done_;

  uint64_t rests_ = 0;  // Tells one rest from those before.
  std::function<void()> on_lost_;
};

}  // namespace

std::shared_ptr<HttpConnection> MakeHttpConnection(asio::io_context& context, ssl::context& tls,
                                                   const Url& origin,
                                                   const std::string& server_name,
                                                   size_t max_body_bytes) {
  if (origin.https) {
    return std::make_shared<Connection<TlsStream>>(context, origin, server_name, max_body_bytes,
                                                   tls);
  }
  return std::make_shared<Connection<PlainStream>>(context, origin, server_name, max_body_bytes);
}

}  // namespace berth::net
