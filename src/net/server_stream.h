// ServerStream moves bytes over the socket of a connection, with or without TLS, and never waits:
// what cannot be done now says what to wait for.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "net/http_server.h"
#include "net/outgoing.h"

namespace berth::net {

class ServerStream {
 public:
  enum class State {
    kDone,       // As much as was asked, or something of it.
    kWantRead,   // Again when the socket can be read.
    kWantWrite,  // Again when the socket can be written.
    kEnd,        // The peer sends no more.
    kFailed,     // The connection is of no use any more.
  };
  struct Progress {
    State state = State::kDone;
    size_t bytes = 0;
  };

  virtual ~ServerStream() = default;

  // To be called until it is done, before all else.
  virtual State Handshake() = 0;
  // After the handshake: whether the peer and the server agreed on HTTP/2, and who the peer is.
  virtual bool is_http2() const = 0;
  virtual void Describe(Peer& peer) const = 0;

  virtual Progress Read(std::span<char> into) = 0;
  // Whether more can be read before the socket becomes readable again.
  virtual bool has_buffered() const = 0;
  // Takes off `out` what the socket took.
  virtual State Write(Outgoing& out) = 0;
  // Tells the peer that nothing follows, as far as that is possible at once.
  virtual void SayGoodbye() = 0;
};

// The socket must be non-blocking, and outlive the stream.
std::unique_ptr<ServerStream> MakePlainStream(int socket);
std::unique_ptr<ServerStream> MakeTlsStream(int socket, const ServerTls& tls);

}  // namespace berth::net
