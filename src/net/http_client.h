// HttpClient makes HTTP requests, with and without TLS, and keeps connections for the next ones:
// HTTP/2 where the server offers it (many requests share a connection), HTTP/1.1 otherwise.
//
// Its functions may be called on any thread. All that happens, callbacks included, happens on the
// loop's: a callback must not block. Redirects are answers like others.
//
// Errors say what kind they are and name the request: "POST http://h:80/filter: connection
// refused",
// "...: no answer within 5s", "...: TLS: certificate verify failed (self-signed certificate)".
#pragma once

#include <atomic>
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

  // The value of the first header of that name, in any case; empty if there is none.
  std::string_view header(std::string_view name) const { return FindHeader(headers, name); }
};

// Why there is no answer, or not all of one.
struct HttpError {
  enum class Kind {
    // Nothing has been done: the URL is wrong, the name is unknown, nobody listens there, or the
    // server has said that it did not begin.
    kUnreachable,
    kTls,        // The handshake failed, or the server refused our certificate; nothing was done.
    kTimeout,    // The time is up. The server may have done it, or may be about to.
    kBroken,     // The connection or the answer broke after sending. Likewise.
    kCancelled,  // By Cancel, or by the end of the client. Likewise.
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
  // For everything from Send to the end of the answer; 0 or less means no limit.
  Duration timeout;
};

// What becomes of a request that is answered bit by bit. All are called on the loop's thread.
struct ResponseStream {
  std::function<void(int status, const std::vector<HttpHeader>& headers)> on_head;
  std::function<void(std::string_view bytes)> on_data;
  // Once, last: the answer was complete, or why it never will be.
  std::function<void(HttpResult<void>)> on_end;
};

struct HttpClientOptions {
  TlsOptions tls;
  // An answer with a longer body is an error.
  size_t max_body_bytes = size_t{64} << 20;
  // Requests beyond so many at once wait for a connection; their time runs.
  size_t max_connections_per_host = 64;
  // For finding the server, connecting and the handshakes; the request's own time may be shorter.
  Duration connect_timeout = Duration::Seconds(30);
  // How many connections are kept for later, and for how long.
  size_t max_idle_per_host = 8;
  Duration idle_limit = Duration::Seconds(90);
  // Offers HTTP/2 to servers with TLS, or speaks it at once to servers without (h2c) if `h2c` is
  // set.
  bool http2 = false;
  bool h2c = false;
  // Asks for gzip and unpacks it, in answers to Send.
  bool gzip = false;
  // An HTTP/2 connection on which nothing has come for so long is pinged, and given up if the ping
  // is not answered in `ping_timeout`: its requests end with errors.
  Duration ping_after = Duration::Seconds(30);
  Duration ping_timeout = Duration::Seconds(15);
};

class ClientResponse;
class ConnectionPool;

class HttpClient {
 public:
  using RequestId = uint64_t;
  using Callback = std::function<void(HttpResult<HttpResponse>)>;

  // `loop` must outlive the client. The error is about the TLS options.
  static Result<std::unique_ptr<HttpClient>> Create(EventLoop& loop, HttpClientOptions options);
  // Cancels what is under way; those callbacks are still called, on the loop.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Calls back once, never from within: with the answer, whatever its status, or with an error.
  // `timeout` is for everything from here to the end of the answer; 0 or less means no limit.
  RequestId Post(const std::string& url, std::vector<HttpHeader> headers, std::string body,
                 Duration timeout, Callback callback);

  // The same for any method.
  RequestId Send(ClientRequest request, Callback callback);

  // Like Send, but hands the answer over as it arrives; `max_body_bytes` does not apply.
  RequestId Open(ClientRequest request, ResponseStream stream);

  // New connections use `tls` from now on; those there are end when their requests have. The error
  // is about the options, and changes nothing.
  Result<void> UseTls(TlsOptions tls);

  // The request's callback gets an error, unless it was called before.
  void Cancel(RequestId id);

 private:
  explicit HttpClient(std::shared_ptr<ConnectionPool> pool, const HttpClientOptions& options);
  RequestId Start(ClientRequest request, std::unique_ptr<ClientResponse> answer);

  const std::shared_ptr<ConnectionPool> pool_;
  const size_t max_body_bytes_;
  const bool gzip_;
  std::atomic<RequestId> last_id_ = 0;
};

}  // namespace berth::net
