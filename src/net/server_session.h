// ServerSession is what one connection of HttpServer says in its protocol: bytes in, bytes out, and
// no I/O. Http1ServerSession and Http2ServerSession are the two.
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

// Tells the requests of a connection apart.
using RequestNumber = uint64_t;

// What a handler has decided: a whole answer, or the head of one and the source of its body.
struct Outcome {
  ServerResponse answer;
  std::unique_ptr<BodySource> source;
};

// SessionHost is who a session tells of requests.
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

  // Takes what the peer has sent and returns how much of it was used; 0: nothing more for now. The
  // rest is to be offered again after Produce, with what has come since.
  virtual size_t Receive(std::string_view bytes, SteadyTime now) = 0;
  // The peer sends no more. Whole answers still go to it; streams end, as nobody reads those.
  virtual void ReceiveEnd() = 0;

  // Appends what is to be sent now. Not called while the peer takes nothing.
  virtual void Produce(Outgoing& out, SteadyTime now) = 0;
  // Nothing will be produced or received any more: close when all is sent.
  virtual bool finished() const = 0;

  // The end of request `number`; passed over if that is gone. Produce sends it.
  virtual void Deliver(RequestNumber number, Outcome outcome, SteadyTime now) = 0;
  // The source of `number`, if there still is one, has more.
  virtual void Wake(RequestNumber number) = 0;

  // When to call Expire, unless something else happens before.
  virtual std::optional<SteadyTime> deadline() const = 0;
  virtual void Expire(SteadyTime now) = 0;

  // Takes no more requests; finished when those under way are.
  virtual void Drain() = 0;
};

// The head of an answer, as both protocols send it.
// How the peer learns where the body ends.
struct Http1Framing {
  std::optional<size_t> content_length;
  bool chunked = false;
  bool close = false;  // The connection is closed after the answer.
};

// Whether an answer of that status may have a body.
bool MayHaveBody(int status);

size_t BodySize(const ServerResponse& answer);

// Whether `header` goes out as the handler gave it: headers about framing and the connection are
// the server's, and what cannot be sent safely is left out.
bool IsSendable(const HttpHeader& header);

// The time now, as the Date header has it; made once a second.
std::string_view HttpDate();

// Appends status line, headers and the empty line.
void AppendHttp1Head(const ServerResponse& answer, const Http1Framing& framing, std::string& out);

}  // namespace berth::net
