// HttpServer serves HTTP/1.1 and HTTP/2 requests, with and without TLS.
//
// Over TLS the protocol is chosen by ALPN; without, a client may start with HTTP/2's preface
// ("prior knowledge"). Each connection lives on one of the server's threads; the handler is called
// there and must not block. A peer that sends slowly, sends too much or never reads is cut off at
// the limits of ServerOptions and costs the others nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_message.h"
#include "net/server_tls.h"

namespace berth::net {

// Bytes of a response body and their owner. Responses may share them.
struct Piece {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

// BodySource produces the body of a response whose length is not known: a watch.
//
// Read on the connection's thread only, and only while the peer accepts more, so that a slow reader
// costs no memory.
class BodySource {
 public:
  enum class State {
    kMore,  // Read again when the peer accepts more. With nothing appended it counts as kWait.
    kWait,  // Nothing now: read again after Exchange::Wake.
    kEnd,   // The body is complete.
  };
  virtual ~BodySource() = default;
  // Appends what is ready to `out`, about `limit` bytes at most.
  virtual State Read(size_t limit, std::vector<Piece>& out) = 0;
};

// The client of a connection.
struct Peer {
  std::string address;  // "10.0.0.7", "::1", without the port.
  bool loopback = false;
  bool tls = false;
  // Of a client certificate that the server's client CA has signed; empty without.
  std::string common_name;
  std::vector<std::string> organizations;
  // With ServerTlsOptions::any_client_certificate: the client's chain, its own first, each as DER;
  // null if there is none. Not verified.
  std::shared_ptr<const std::vector<std::string>> certificates;
};

struct ServerRequest {
  std::string method;  // "GET"
  std::string target;  // "/api/v1/pods?watch=1", as sent.
  std::vector<HttpHeader> headers;
  std::string body;
  Peer peer;

  // The value of the first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const { return FindHeader(headers, name); }
};

struct ServerResponse {
  int status = 200;
  std::vector<HttpHeader> headers;  // Without Content-Length and the like, which the server adds.
  std::vector<Piece> body;

  static ServerResponse Text(int status, std::string content_type, std::string body);
};

// Exchange is one request and its response. Exactly one of Answer and Stream is called, once, on
// any thread; an Exchange that is dropped without responds with 500.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const ServerRequest& request() const = 0;

  // Sends the whole response, compressed on the caller's thread if it is large and the peer accepts
  // gzip. "Connection: close" among the headers ends an HTTP/1.1 connection after it.
  virtual void Answer(ServerResponse response) = 0;
  // Sends the head at once, then the body from `source`; never compressed.
  virtual void Stream(ServerResponse head, std::unique_ptr<BodySource> source) = 0;
  // The source is worth reading again. Any thread, cheap, may be called when the peer has gone.
  virtual void Wake() = 0;
  // Wake after `delay`.
  virtual void WakeAfter(std::chrono::milliseconds delay) = 0;
};

using RequestHandler = std::function<void(std::shared_ptr<Exchange>)>;

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one.
  int threads = 1;
  bool share_port = false;         // Others may listen on the same address and port.
  uint32_t max_http2_streams = 0;  // Requests at once on a connection; 0: the server's own limit.
  std::shared_ptr<ServerTls> tls;  // Null: plain.
  size_t max_header_bytes = 64 << 10;
  size_t max_body_bytes = 3 << 20;  // As kube-apiserver. Beyond it: 413.
  size_t max_connections = 20'000;
  std::chrono::milliseconds header_timeout{30'000};  // From the first byte of a request.
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds idle_timeout{300'000};  // Between requests.
  std::chrono::milliseconds send_timeout{60'000};   // Without the peer taking a byte.
};

class HttpServer {
 public:
  // Listens and serves. The error is about the address or port.
  static Result<std::unique_ptr<HttpServer>> Start(ServerOptions options, RequestHandler handler);
  virtual ~HttpServer() = default;  // Stops.

  virtual uint16_t port() const = 0;
  // Accepts no new requests, gives pending responses up to `grace`, then closes everything. Streams
  // count as pending until their sources end. Returns when the threads have ended; not to be called
  // on one of them.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace berth::net
