// ClientSession is the protocol of one connection of HttpClient: bytes in, bytes out, and no I/O.
// Http1ClientSession and Http2ClientSession are the two.
//
// All on the loop's thread. The time comes from the caller.
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

// A request of HttpClient, checked and ready to be sent in either protocol.
struct WireRequest {
  std::string method;
  Url url;
  // Without those about framing and the connection, which differ between the protocols.
  std::vector<HttpHeader> headers;
  std::string body;

  // Whether the body's length is said: always if there is one, and for methods that have one.
  bool has_length() const;
};

// The error names what cannot be sent: the URL, the method or a header.
Result<WireRequest> MakeWireRequest(ClientRequest request);

// Longer headers of a response are an error.
constexpr size_t kMaxResponseHeaderBytes = 64 << 10;

// ResponseSink receives the response to a request as it arrives. It must not call the session.
class ResponseSink {
 public:
  // Both return false to end the request.
  virtual bool Head(int status, std::vector<HttpHeader> headers) = 0;
  virtual bool Data(std::string_view bytes) = 0;

 protected:
  ~ResponseSink() = default;
};

struct EndedRequest {
  HttpClient::RequestId id = 0;
  HttpResult<void> result;  // The error does not name the request.
  // The server has not processed it: it may be sent again on another connection.
  bool again = false;
};

// How a connection ended.
struct ConnectionLoss {
  HttpError::Kind kind = HttpError::Kind::kBroken;
  std::string text;    // Empty: the server closed it.
  bool clean = false;  // By an orderly end of the stream.
};

class ClientSession {
 public:
  using RequestId = HttpClient::RequestId;

  virtual ~ClientSession() = default;

  virtual bool multiplexes() const = 0;
  // How many requests may begin now.
  virtual size_t capacity() const = 0;
  virtual bool idle() const = 0;  // No request is pending.
  // No request is pending, and none may begin any more: close when all is sent.
  virtual bool finished() const = 0;
  // The protocol error of the server, if that is why it is finished.
  virtual std::string problem() const { return {}; }

  // There must be capacity. The sink must live until the request has ended or is abandoned.
  virtual void Begin(RequestId id, std::shared_ptr<const WireRequest> request,
                     ResponseSink& sink) = 0;
  // Its sink is not called any more. Does nothing if the request is not pending.
  virtual void Abandon(RequestId id) = 0;
  // Lets no more requests begin.
  virtual void Drain() = 0;

  // Processes bytes from the server and returns how many were used; the rest must be passed again,
  // with what has arrived since.
  virtual size_t Receive(std::string_view bytes, SteadyTime now) = 0;
  // Nothing more will arrive: all pending requests end.
  virtual void ReceiveEnd(const ConnectionLoss& loss) = 0;
  // Appends the bytes to send now.
  virtual void Produce(Outgoing& out) = 0;
  // Returns the requests that have ended since the last call. Their sinks are not called any more.
  virtual std::vector<EndedRequest> TakeEnded() = 0;

  // When to call Expire, unless something else happens before.
  virtual std::optional<SteadyTime> deadline() const = 0;
  virtual void Expire(SteadyTime now) = 0;
};

// Returns the error of a request that was pending when its connection was lost. `started`: a part
// of the response had arrived.
HttpError LossError(const ConnectionLoss& loss, bool started);

}  // namespace berth::net
