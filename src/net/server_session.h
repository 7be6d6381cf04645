// ServerSession is the protocol of one connection of HttpServer: bytes in, bytes out, and no I/O.
// Http1ServerSession and Http2ServerSession implement it.
//
// Runs on the connection's thread. The caller passes the time.
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

// The result of a handler: a complete response, or its head and the source of its body.
struct Outcome {
  ServerResponse response;
  std::unique_ptr<BodySource> source;
};

// SessionHost receives the requests of a session.
class SessionHost {
 public:
  // Handles a request; the host sets the peer. It may call Deliver from within, later, or never.
  virtual void Handle(RequestNumber number, ServerRequest request) = 0;
  // Returns the response to reject a request with, before its body arrives; sets the peer.
  virtual std::optional<ServerResponse> Admit(ServerRequest& /*head*/) { return std::nullopt; }
  // The peer has given up a request that was handled.
  virtual void Abandoned(RequestNumber /*number*/) {}
  // Null: bodies are not accounted for.
  virtual std::shared_ptr<BodyBudget> body_budget() const { return nullptr; }

 protected:
  ~SessionHost() = default;
};

class ServerSession {
 public:
  // Produce stops after about this many bytes of streamed bodies.
  static constexpr size_t kBatchBytes = 128 << 10;

  virtual ~ServerSession() = default;

  // Processes bytes from the peer and returns how many were used; 0 means that no more are accepted
  // now. The rest must be passed again after Produce, followed by what has arrived since.
  virtual size_t Receive(std::string_view bytes, SteadyTime now) = 0;
  // Ends the input. Complete responses are still sent; streams end.
  virtual void ReceiveEnd() = 0;

  // Appends the bytes to send now. Not called while the peer accepts nothing.
  virtual void Produce(Outgoing& out, SteadyTime now) = 0;
  // Reports that nothing more is produced or received: close once all is sent.
  virtual bool finished() const = 0;
  // Reports whether the handler has a request, or a source streams a response.
  virtual bool busy() const = 0;

  // Sets the result of request `number`, which Produce sends; ignored if the request has ended.
  virtual void Deliver(RequestNumber number, Outcome outcome, SteadyTime now) = 0;
  // Reads the source of `number` again, if it still exists.
  virtual void Wake(RequestNumber number) = 0;

  // Returns when to call Expire, unless something else happens before.
  virtual std::optional<SteadyTime> deadline() const = 0;
  virtual void Expire(SteadyTime now) = 0;

  // Accepts no more requests; finished when the pending ones are.
  virtual void Drain() = 0;
};

// The error of a request whose body exceeds what the server holds at a time.
inline constexpr std::string_view kTooManyBodies = "too many request bodies at once";

// How the peer finds the end of the body.
struct Http1Framing {
  std::optional<size_t> content_length;
  bool chunked = false;
  bool close = false;  // The connection is closed after the response.
};

// Reports whether a response of that status may have a body.
bool MayHaveBody(int status);

size_t BodySize(const ServerResponse& response);

// Reports whether a handler's `header` is sent. Headers about framing and the connection are set by
// the server, and invalid ones are dropped.
bool IsSendable(const HttpHeader& header);

// Returns the value of the Date header, formatted once per second.
std::string_view HttpDate();

// Appends the status line, the headers and the empty line.
void AppendHttp1Head(const ServerResponse& response, const Http1Framing& framing, std::string& out);

}  // namespace berth::net
