// ServerSession is what one connection of HttpServer says in its protocol: bytes in, bytes out, and
// no I/O. Http1Session and Http2Session are the two.
//
// All on the connection's thread. The time comes from the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "net/http_server.h"
#include "net/outgoing.h"
#include "net/steady_time.h"

namespace berth::net {

// Tells the requests of a connection apart.
using RequestNumber = uint64_t;

// What a handler has decided: a whole answer, or the head of one and the source of its body.
struct Outcome {
  ServerAnswer answer;
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

}  // namespace berth::net
