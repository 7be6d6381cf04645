// HttpClient sends HTTP requests, with and without TLS, and pools connections: HTTP/2 where the
// server offers it (many requests share a connection), HTTP/1.1 otherwise.
//
// Functions may be called on any thread. Callbacks run on the loop's thread and must not block.
// Redirects are not followed.
//
// Errors have a kind and name the request: "POST http://h:80/filter: connection refused",
// "...: no answer within 5s", "...: TLS: certificate verify failed (self-signed certificate)".
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/event_loop.h"
#include "net/http_message.h"
#include "net/tls.h"

namespace berth::net {

struct HttpResponse {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::string body;

  bool ok() const { return status >= 200 && status < 300; }
  // Returns the value of the first header of that name, ignoring case; empty if there is none.
  std::string_view header(std::string_view name) const { return FindHeader(headers, name); }
  std::string_view content_type() const { return header("Content-Type"); }
};

// Why there is no complete response. A response of any status is not an error.
struct HttpError {
  enum class Kind {
    // The request was not processed: the URL is invalid, the name does not resolve, the connection
    // is refused, or the server rejected the request before processing it.
    kUnreachable,
    kBroken,   // The connection or the response broke after sending: the request may have taken
               // effect.
    kTimeout,  // The time limit passed. The request may have taken effect.
    kTls,      // The handshake failed, or the server rejected our certificate; nothing was sent.
    kCredentials,  // There is no credential to send (client::RestClient).
    kCancelled,    // By Cancel or the client's destructor. The request may have taken effect.
  };
  Kind kind = Kind::kBroken;
  std::string message;
};

template <typename T>
using HttpResult = std::expected<T, HttpError>;

struct ClientRequest {
  std::string method = "GET";
  std::string url;
  std::vector<HttpHeader> headers;
  std::string body;
  // From Send to the end of the response; 0 or less means no limit.
  Duration timeout;
  // Ends the request with kTimeout if nothing arrives for this long over HTTP/1.1; 0 or less means
  // no limit. HTTP/2 connections are pinged instead.
  Duration silence_limit = {};
  // If set, called on the loop's thread when the request is about to be given to a connection. If
  // it returns false the request is not sent, and ends with kCancelled.
  std::function<bool()> may_send = {};
};

// ResponseStream receives a response piece by piece, on the loop's thread.
struct ResponseStream {
  std::function<void(int status, const std::vector<HttpHeader>& headers)> on_head;
  std::function<void(std::string_view bytes)> on_data;
  // Called once, last: with success, or the reason why the response is incomplete.
  std::function<void(HttpResult<void>)> on_end;
};

struct HttpClientOptions {
  TlsOptions tls;
  // A longer body is an error.
  size_t max_body_bytes = size_t{64} << 20;
  // Further requests are queued; their time limit includes the wait.
  size_t max_connections_per_host = 64;
  // For resolving, connecting and the handshake; the request's own limit may be shorter.
  Duration connect_timeout = Duration::Seconds(30);
  // Connections stay open for so long without a request: writes come in bursts that use them all.
  Duration idle_limit = Duration::Seconds(90);
  // Offers HTTP/2 to servers with TLS. `h2c` uses it with prior knowledge on servers without TLS.
  bool http2 = false;
  bool h2c = false;
  // Requests gzip and decompresses it, in responses to Send.
  bool gzip = false;
  // An HTTP/2 connection that has received nothing for this long is pinged, and closed if the ping
  // is not acknowledged within `ping_timeout`: its requests end with errors.
  Duration ping_after = Duration::Seconds(30);
  Duration ping_timeout = Duration::Seconds(15);
  // If set, called on the loop's thread for each connection: returns a connected socket to use
  // instead of connecting to the host of the URL, or -1. The client closes it.
  std::function<int()> dial = {};
};

class HttpClient {
 public:
  using RequestId = uint64_t;
  using Callback = std::function<void(HttpResult<HttpResponse>)>;

  // Returns a client with a connection pool. `loop` must outlive it. The error is about the TLS
  // options.
  static Result<std::unique_ptr<HttpClient>> Create(EventLoop& loop,
                                                    const HttpClientOptions& options);
  // Cancels pending requests; their callbacks are still called, on the loop.
  virtual ~HttpClient() = default;

  // Sends a request. Calls back once, never before Send returns: with the response or an error.
  virtual RequestId Send(ClientRequest request, Callback callback) = 0;

  // Like Send, but passes the response on as it arrives; `max_body_bytes` does not apply.
  virtual RequestId Open(ClientRequest request, ResponseStream stream) = 0;

  // Uses `tls` for new connections; existing ones close when their requests have ended. On error
  // nothing changes.
  virtual Result<void> UseTls(TlsOptions tls) = 0;

  // Ends the request with an error, unless its callback was called before.
  virtual void Cancel(RequestId id) = 0;

  // Sends a POST request.
  RequestId Post(const std::string& url, std::vector<HttpHeader> headers, std::string body,
                 Duration timeout, Callback callback);
};

}  // namespace berth::net
