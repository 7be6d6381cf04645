// HttpServer serves HTTP/1.1 and HTTP/2 requests, with and without TLS.
//
// Over TLS the protocol is chosen by ALPN; without TLS a client may start with HTTP/2's preface
// ("prior knowledge"). Each connection belongs to one of the server's threads; the handler is
// called there and must not block. A peer that sends slowly, sends too much or never reads is
// disconnected at the limits of ServerOptions and does not affect other peers. Beyond the limit of
// connections, a new one replaces the least used one of the client with the most (ConnectionTable).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/body_budget.h"
#include "net/http_message.h"
#include "net/server_tls.h"

namespace berth::net {

// Bytes of a response body and their owner. Responses may share them.
struct Piece {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

// BodySource produces the body of a response of unknown length, such as a watch.
//
// It is read on the connection's thread only, and only while the peer accepts more, so that a slow
// reader costs no memory.
class BodySource {
 public:
  enum class State {
    kMore,  // Read again when the peer accepts more. Equals kWait if nothing was appended.
    kWait,  // Nothing available: read again after Exchange::Wake.
    kEnd,   // The body is complete.
  };
  virtual ~BodySource() = default;
  // Appends available bytes to `out`, about `limit` at most.
  virtual State Read(size_t limit, std::vector<Piece>& out) = 0;
};

// The client of a connection.
struct Peer {
  std::string address;      // "10.0.0.7", "::1", without the port.
  uint64_t connection = 0;  // Identifies the connection in its server.
  bool loopback = false;
  bool tls = false;
  // From a client certificate that is signed by the server's client CA; empty without one.
  std::string common_name;
  std::vector<std::string> organizations;
  // With ServerTlsOptions::any_client_certificate: the client's unverified chain, leaf first, each
  // as DER; null if there is none.
  std::shared_ptr<const std::vector<std::string>> certificates;
};

struct ServerRequest {
  std::string method;  // "GET"
  std::string target;  // "/api/v1/pods?watch=1", as sent.
  std::vector<HttpHeader> headers;
  std::string body;
  Peer peer;
  std::shared_ptr<BodyShare> body_share;  // Accounts for the body; null if that is empty.

  // Returns the value of the first header of that name, ignoring case; empty if there is none.
  std::string_view header(std::string_view name) const { return FindHeader(headers, name); }
};

struct ServerResponse {
  int status = 200;
  std::vector<HttpHeader>
      headers;  // Without Content-Length and other headers that the server adds.
  std::vector<Piece> body;

  static ServerResponse Text(int status, std::string content_type, std::string body);
};

// Exchange is one request and its response. Exactly one of Respond and Stream must be called, once,
// on any thread; an Exchange that is dropped before responds with 500.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const ServerRequest& request() const = 0;

  // Sends a complete response. If it is large and the peer accepts gzip, it is compressed first, on
  // the connection's thread. Cheap for the caller. The header "Connection: close" closes an
  // HTTP/1.1 connection after it.
  virtual void Respond(ServerResponse response) = 0;
  // Sends the head at once, then the body from `source`; never compressed.
  virtual void Stream(ServerResponse head, std::unique_ptr<BodySource> source) = 0;
  // Makes the connection read the source again. Any thread, cheap; no effect when the peer is gone.
  virtual void Wake() = 0;
  // Calls Wake after `delay`.
  virtual void WakeAfter(std::chrono::milliseconds delay) = 0;
  // Calls `abandoned` on the connection's thread if the peer gives the request up or disconnects
  // before the response. May be called only by the handler, before it returns. `abandoned` must not
  // own the exchange.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): others move it.
  virtual void OnAbandoned(std::function<void()> /*abandoned*/) {}
};

using RequestHandler = std::function<void(std::shared_ptr<Exchange>)>;

// Decides about a request whose body has not arrived yet: returns the response to reject it with.
using RequestAdmission = std::function<std::optional<ServerResponse>(const ServerRequest& head)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0 means any free port.
  int threads = 1;
  bool share_port = false;  // Other processes may listen on the same address and port.
  uint32_t max_http2_streams =
      0;  // Concurrent requests per connection; 0 means the server's default.
  std::shared_ptr<ServerTls> tls;  // Null means no TLS.
  size_t max_header_bytes = 64 << 10;
  size_t max_body_bytes = 3 << 20;  // As kube-apiserver; larger requests get 413.
  // A bound for all request bodies that the server holds; requests beyond it get 429. The default
  // is enough for 80 bodies of the largest size.
  size_t max_buffered_bytes = size_t{256} << 20;
  // At most half of the descriptors that the process may open, whatever this says.
  size_t max_connections = 20'000;
  // Called on the connection's thread for a request with a body that is still to come. Null admits
  // all.
  RequestAdmission admission = {};
  // From the first byte of a request; also for the handshake, and for the first byte after it.
  std::chrono::milliseconds header_timeout{30'000};
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds idle_timeout{300'000};  // Between requests.
  std::chrono::milliseconds send_timeout{60'000};   // While the peer accepts no bytes.
};

class HttpServer {
 public:
  // Listens and serves. The error is about the address or port.
  static Result<std::unique_ptr<HttpServer>> Start(ServerOptions options, RequestHandler handler);
  virtual ~HttpServer() = default;  // Stops.

  virtual uint16_t port() const = 0;
  // Any thread: how many connections are open, and how many bytes of request bodies are held.
  virtual size_t connections() const = 0;
  virtual size_t buffered_bytes() const = 0;
  // Runs `work` on the first of its threads, after what that has to do. Any thread, before Stop.
  virtual void Post(std::function<void()> work) = 0;
  // Accepts no new requests, gives pending responses up to `grace` to complete, then closes all
  // connections. Streams are pending until their sources end. Returns when the threads have ended;
  // must not be called on one of them.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace berth::net
