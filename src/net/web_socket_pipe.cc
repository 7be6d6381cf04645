#include "net/web_socket_pipe.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <memory>
#include <utility>

#include "base/chrono.h"
#include "net/client_session.h"

namespace berth::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using PlainLayer = beast::tcp_stream;
using TlsLayer = asio::ssl::stream<beast::tcp_stream>;

constexpr size_t kReadBytes = 16 << 10;

HttpResponse ToHttpResponse(const websocket::response_type& from) {
  HttpResponse response{
      .status = static_cast<int>(from.result_int()), .headers = {}, .body = from.body()};
  for (const auto& field : from) {
    response.headers.push_back({std::string(field.name_string()), std::string(field.value())});
  }
  return response;
}

// Lives as long as one of its operations is pending.
template <typename Layer>
class Pipe final : public std::enable_shared_from_this<Pipe<Layer>> {
 public:
  // `tls` is passed on to the layer.
  template <typename... Tls>
  Pipe(asio::io_context& context, asio::local::stream_protocol::socket local, WireRequest wire,
       WebSocketPipeOptions options, Tls&... tls)
      : local_(std::move(local)),
        wire_(std::move(wire)),
        options_(std::move(options)),
        resolver_(context),
        web_(context, tls...) {
    if constexpr (std::is_same_v<Layer, TlsLayer>) {
      const std::string& name = options_.tls.server_name;
      ExpectServer(web_.next_layer().native_handle(), name.empty() ? wire_.url.host : name);
    }
  }

  void Start() {
    resolver_.async_resolve(
        wire_.url.host, std::to_string(wire_.url.port), tcp::resolver::numeric_service,
        Then([this](const tcp::resolver::results_type& found) { Connect(found); }));
  }

 private:
  // Returns a handler of one step of opening.
  template <typename Next>
  auto Then(Next next) {
    return [self = this->shared_from_this(), next](const error_code& error, const auto&... result) {
      if (error) return self->Fail(error);
      next(result...);
    };
  }

  void Connect(const tcp::resolver::results_type& found) {
    beast::get_lowest_layer(web_).expires_after(ToChrono(options_.request.timeout));
    beast::get_lowest_layer(web_).async_connect(found,
                                                Then([this](const auto&...) { Connected(); }));
  }

  void Connected() {
    connected_ = true;
    if constexpr (std::is_same_v<Layer, TlsLayer>) {
      web_.next_layer().async_handshake(asio::ssl::stream_base::client,
                                        Then([this] { Upgrade(); }));
    } else {
      Upgrade();
    }
  }

  void Upgrade() {
    // From here on the WebSocket has its own limits.
    beast::get_lowest_layer(web_).expires_never();
    web_.set_option(websocket::stream_base::timeout{
        .handshake_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
            ToChrono(options_.request.timeout)),
        .idle_timeout = websocket::stream_base::none(),
        .keep_alive_pings = false});
    web_.set_option(websocket::stream_base::decorator([this](websocket::request_type& request) {
      for (const HttpHeader& header : wire_.headers) request.insert(header.name, header.value);
      request.set(http::field::sec_websocket_protocol, options_.subprotocol);
    }));
    web_.binary(true);
    // The kubelet takes each frame for a message.
    web_.auto_fragment(false);
    web_.read_message_max(kMaxWebSocketMessage);
    web_.async_handshake(
        response_, wire_.url.authority(), wire_.url.target,
        [self = this->shared_from_this()](const error_code& error) { self->Upgraded(error); });
  }

  void Upgraded(const error_code& error) {
    if (error == websocket::error::upgrade_declined) return Fail(ToHttpResponse(response_));
    if (error) return Fail(error);
    const auto chosen = response_[http::field::sec_websocket_protocol];
    if (chosen != options_.subprotocol) {
      return Fail(std::unexpected(HttpError{
          HttpError::Kind::kBroken, fmt::format("{}: the server does not speak {}",
                                                wire_.url.ToString(), options_.subprotocol)}));
    }
    sent_.assign(options_.prefix.begin(), options_.prefix.end());
    sent_.resize(options_.prefix.size() + kReadBytes);
    TakeFromLocal();
    TakeFromServer();
  }

  void TakeFromLocal() {
    const size_t prefix = options_.prefix.size();
    local_.async_read_some(
        asio::buffer(sent_.data() + prefix, kReadBytes),
        [self = this->shared_from_this(), prefix](const error_code& error, size_t size) {
          if (error) return self->LocalEnded();
          self->web_.async_write(asio::buffer(self->sent_.data(), prefix + size),
                                 [self](const error_code& failed, size_t) {
                                   if (!failed) self->TakeFromLocal();
                                 });
        });
  }

  void TakeFromServer() {
    web_.async_read(received_, [self = this->shared_from_this()](const error_code& error, size_t) {
      if (error) return self->CloseLocal();
      const auto message = self->received_.cdata();
      const std::string_view bytes =
          self->options_.unwrap({static_cast<const char*>(message.data()), message.size()});
      asio::async_write(self->local_, asio::buffer(bytes),
                        [self](const error_code& failed, size_t) {
                          self->received_.clear();
                          if (!failed) self->TakeFromServer();
                        });
    });
  }

  void LocalEnded() {
    if (web_.is_open()) {
      web_.async_close(websocket::close_code::normal,
                       [self = this->shared_from_this()](const error_code&) {});
    }
    CloseLocal();
  }

  void CloseLocal() {
    error_code ignored;
    local_.close(ignored);
  }

  void Fail(const error_code& error) {
    const bool tls = connected_ && std::is_same_v<Layer, TlsLayer>;
    Fail(std::unexpected(HttpError{tls ? HttpError::Kind::kTls : HttpError::Kind::kUnreachable,
                                   fmt::format("{}: {}", wire_.url.origin(), error.message())}));
  }

  void Fail(HttpResult<HttpResponse> why) {
    CloseLocal();
    options_.on_failure(std::move(why));
  }

  asio::local::stream_protocol::socket local_;
  const WireRequest wire_;
  const WebSocketPipeOptions options_;
  tcp::resolver resolver_;
  websocket::stream<Layer> web_;
  bool connected_ = false;
  websocket::response_type response_;
  std::vector<char> sent_;  // The prefix, and space for the bytes.
  beast::flat_buffer received_;
};

template <typename Layer, typename... Tls>
void StartPipe(EventLoop& loop, asio::local::stream_protocol::socket local, WireRequest wire,
               WebSocketPipeOptions options, Tls&... tls) {
  auto pipe = std::make_shared<Pipe<Layer>>(loop.context(), std::move(local), std::move(wire),
                                            std::move(options), tls...);
  asio::post(loop.context(), [pipe] { pipe->Start(); });
}

}  // namespace

Status OpenWebSocketPipe(EventLoop& loop, int far_end, WebSocketPipeOptions options) {
  asio::local::stream_protocol::socket local(loop.context(), asio::local::stream_protocol(),
                                             far_end);
  auto wire = MakeWireRequest(options.request);
  if (!wire) return std::unexpected(wire.error());
  if (!wire->url.https) {
    StartPipe<PlainLayer>(loop, std::move(local), *std::move(wire), std::move(options));
    return {};
  }
  const auto tls = MakeTlsContext(options.tls);
  if (!tls) return std::unexpected(tls.error());
  StartPipe<TlsLayer>(loop, std::move(local), *std::move(wire), std::move(options), **tls);
  return {};
}

}  // namespace berth::net
