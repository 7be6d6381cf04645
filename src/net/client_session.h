// A request of HttpClient, checked and ready to be sent in either protocol.
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

// ClientSession is what one connection of HttpClient says in its protocol: bytes in, bytes out, and
// no I/O. Http1ClientSession and Http2ClientSession are the two.
//
// All on the loop's thread. The time comes from the caller.
// The headers of an answer are an error beyond it.
constexpr size_t kMaxResponseHeaderBytes = 64 << 10;

// ResponseSink is who gets the answer to a request as it arrives. It must not call the session.
class ResponseSink {
 public:
  // Both return whether it wants more; the request ends if not.
  virtual bool Head(int status, std::vector<HttpHeader> headers) = 0;
  virtual bool Data(std::string_view bytes) = 0;

 protected:
  ~ResponseSink() = default;
};

struct EndedRequest {
  HttpClient::RequestId id = 0;
  HttpResult<void> result;  // The error does not name the request.
  // The server has not begun with it: it may be sent again on another connection.
  bool again = false;
};

// How a connection ended.
struct ConnectionLoss {
  HttpError::Kind kind = HttpError::Kind::kBroken;
  std::string text;    // Empty: the server has just closed it.
  bool clean = false;  // The server says that nothing is missing.
};

class ClientSession {
 public:
  using RequestId = HttpClient::RequestId;

  virtual ~ClientSession() = default;

  virtual bool multiplexes() const = 0;
  // How many requests may begin now.
  virtual size_t capacity() const = 0;
  virtual bool idle() const = 0;  // None is under way.
  // Nothing is under way, and nothing may begin any more: close when all is sent.
  virtual bool finished() const = 0;
  // What the server did wrong, if that is why it is finished.
  virtual std::string problem() const { return {}; }

  // There must be capacity. The sink must live until the request has ended or is abandoned.
  virtual void Begin(RequestId id, std::shared_ptr<const WireRequest> request,
                     ResponseSink& sink) = 0;
  // Its sink hears nothing more. Passed over if it is not under way.
  virtual void Abandon(RequestId id) = 0;
  // Lets no more requests begin.
  virtual void Drain() = 0;

  // Takes what the server has sent and returns how much of it was used; the rest is to be offered
  // again, with what has come since.
  virtual size_t Receive(std::string_view bytes, SteadyTime now) = 0;
  // Nothing more will come: everything under way ends.
  virtual void ReceiveEnd(const ConnectionLoss& loss) = 0;
  // Appends what is to be sent now.
  virtual void Produce(Outgoing& out) = 0;
  // The requests that have ended since it was asked last. Their sinks hear nothing more.
  virtual std::vector<EndedRequest> TakeEnded() = 0;

  // When to call Expire, unless something else happens before.
  virtual std::optional<SteadyTime> deadline() const = 0;
  virtual void Expire(SteadyTime now) = 0;
};

// The error of a request that was under way when its connection was lost. `started`: something of
// the answer had come.
HttpError LossError(const ConnectionLoss& loss, bool started);

}  // namespace berth::net
