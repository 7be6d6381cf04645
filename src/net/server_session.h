// ServerSession is the protocol of one connection of HttpServer: bytes in, bytes out, and no I/O.
// Http1ServerSession and Http2ServerSession are the two.
//
// All on the connection's thread. The time comes from the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_server.h"
#include "net/outgoing.h"
#include "net/steady_time.h"

namespace berth::net {

// Identifies a request of a connection.
using RequestNumber = uint64_t;

// The result of a handler: a whole response, or its head and the source of its body.
struct Outcome {
  ServerResponse response;
  std::unique_ptr<BodySource> source;
};

// SessionHost receives the requests of a session.
class SessionHost {
 public:
  // The host fills in the peer. It may call Deliver from within, or later, or never.
  virtual void Handle(RequestNumber number, ServerRequest request) = 0;

 protected:
  ~SessionHost() = default;
};

class ServerSession {
 public:
  // Produce stops at about so many bytes of streamed bodies.
  static constexpr size_t kBatchBytes = 128 << 10;

  virtual ~ServerSession() = default;

  // Processes bytes from the peer and returns how many were used; 0: no more for now. The rest must
  // be passed again after Produce, with what has arrived since.
  virtual size_t Receive(std::string_view bytes, SteadyTime now) = 0;
  // The peer sends no more. Whole responses are still sent; streams end.
  virtual void ReceiveEnd() = 0;

  // Appends the bytes to send now. Not called while the peer accepts nothing.
  virtual void Produce(Outgoing& out, SteadyTime now) = 0;
  // Nothing will be produced or received any more: close when all is sent.
  virtual bool finished() const = 0;

  // The result of request `number`; ignored if that has ended. Produce sends it.
  virtual void Deliver(RequestNumber number, Outcome outcome, SteadyTime now) = 0;
  // The source of `number`, if it still exists, has more.
  virtual void Wake(RequestNumber number) = 0;

  // When to call Expire, unless something else happens before.
  virtual std::optional<SteadyTime> deadline() const = 0;
  virtual void Expire(SteadyTime now) = 0;

  // Accepts no more requests; finished when the pending ones are.
  virtual void Drain() = 0;
};

// How the peer finds the end of the body.
struct Http1Framing {
  std::optional<size_t> content_length;
  bool chunked = false;
  bool close = false;  // The connection is closed after the response.
};

// Reports whether a response of that status may have a body.
bool MayHaveBody(int status);

size_t BodySize(const ServerResponse& response);

// Reports whether a handler's `header` is sent: headers about framing and the connection are the
// server's, and unsafe ones are left out.
bool IsSendable(const HttpHeader& header);

// Returns the time for the Date header, formatted once a second.
std::string_view HttpDate();

// Appends status line, headers and the empty line.
void AppendHttp1Head(const ServerResponse& response, const Http1Framing& framing, std::string& out);

}  // namespace berth::net
