// ClientSession is the protocol of one connection of HttpClient: bytes in, bytes out, and no I/O.
// Http1ClientSession and Http2ClientSession implement it.
//
// Runs on the loop's thread. The caller passes the time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_client.h"
#include "net/outgoing.h"
#include "net/steady_time.h"
#include "net/url.h"

namespace berth::net {

// A validated request of HttpClient, ready to be sent in either protocol.
struct WireRequest {
  std::string method;
  Url url;
  // Without headers about framing and the connection, which differ between the protocols.
  std::vector<HttpHeader> headers;
  std::string body;
  Duration silence_limit = {};  // As in ClientRequest.

  // Reports whether a Content-Length is sent: for all non-empty bodies, and for methods that have
  // one.
  bool has_length() const;
};

// Validates `request`. The error names the invalid URL, method or header.
Result<WireRequest> MakeWireRequest(ClientRequest request);

// Response headers longer than this are an error.
constexpr size_t kMaxResponseHeaderBytes = 64 << 10;

// ResponseSink receives the response to a request as it arrives. It must not call the session.
class ResponseSink {
 public:
  // Both return false to abort the request.
  virtual bool Head(int status, std::vector<HttpHeader> headers) = 0;
  virtual bool Data(std::string_view bytes) = 0;

 protected:
  ~ResponseSink() = default;
};

struct EndedRequest {
  HttpClient::RequestId id = 0;
  HttpResult<void> result;  // The error does not name the request.
  // The server has not processed the request: it can be sent again on another connection.
  bool again = false;
};

// How a connection ended.
struct ConnectionLoss {
  HttpError::Kind kind = HttpError::Kind::kBroken;
  std::string text;    // Empty if the server closed it.
  bool clean = false;  // The stream ended in an orderly way.
};

class ClientSession {
 public:
  using RequestId = HttpClient::RequestId;

  virtual ~ClientSession() = default;

  virtual bool multiplexes() const = 0;
  // Returns how many requests can begin now.
  virtual size_t capacity() const = 0;
  virtual bool idle() const = 0;  // No request is pending.
  // Reports that no request is pending and none can begin any more: close once all is sent.
  virtual bool finished() const = 0;
  // Returns the server's protocol error, if that is why the session is finished.
  virtual std::string problem() const { return {}; }

  // Sends `request`. Requires capacity. The sink must live until the request has ended or is
  // abandoned.
  virtual void Begin(RequestId id, std::shared_ptr<const WireRequest> request, ResponseSink& sink,
                     SteadyTime now) = 0;
  // Ends the request without another call to its sink. Does nothing if the request is not pending.
  virtual void Abandon(RequestId id) = 0;
  // Prevents further requests from beginning.
  virtual void Drain() = 0;

  // Processes bytes from the server and returns how many were used. The rest must be passed again,
  // followed by what has arrived since.
  virtual size_t Receive(std::string_view bytes, SteadyTime now) = 0;
  // Ends all pending requests: nothing more arrives.
  virtual void ReceiveEnd(const ConnectionLoss& loss) = 0;
  // Appends the bytes to send now.
  virtual void Produce(Outgoing& out) = 0;
  // Returns the requests that have ended since the last call. Their sinks are not called any more.
  virtual std::vector<EndedRequest> TakeEnded() = 0;

  // Returns when to call Expire, unless something else happens before.
  virtual std::optional<SteadyTime> deadline() const = 0;
  virtual void Expire(SteadyTime now) = 0;
};

// Returns the error of a request that was pending when its connection was lost. `started`: part of
// the response had arrived.
HttpError LossError(const ConnectionLoss& loss, bool started);

}  // namespace berth::net
