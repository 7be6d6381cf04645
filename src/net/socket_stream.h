// SocketStream moves bytes over the socket of a connection, with or without TLS. It never blocks:
// an operation that cannot complete returns what to wait for.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "net/http_server.h"
#include "net/outgoing.h"

namespace berth::net {

// Why a stream failed.
struct StreamProblem {
  bool tls = false;  // A TLS error, not a network error.
  std::string text;  // Empty if the peer closed the connection.
};

class SocketStream {
 public:
  enum class State {
    kDone,       // All or part of the operation is done.
    kWantRead,   // Try again when the socket is readable.
    kWantWrite,  // Try again when the socket is writable.
    kEnd,        // The peer sends no more.
    kFailed,     // The connection is unusable.
  };
  struct Progress {
    State state = State::kDone;
    size_t bytes = 0;
  };

  virtual ~SocketStream() = default;

  // Performs the handshake. Must be called until done, before all other functions.
  virtual State Handshake() = 0;
  // After the handshake: whether HTTP/2 was negotiated, and the identity of the peer.
  virtual bool is_http2() const = 0;
  virtual void Describe(Peer& peer) const = 0;

  virtual Progress Read(std::span<char> into) = 0;
  // Reports whether more can be read before the socket becomes readable again.
  virtual bool has_buffered() const = 0;
  // Writes from `out` and removes what was written.
  virtual State Write(Outgoing& out) = 0;
  // Returns the error after kFailed: "connection reset by peer", "TLS: wrong version number".
  virtual StreamProblem problem() const = 0;
  // Announces the end of the stream to the peer, if that is possible without waiting.
  virtual void SayGoodbye() = 0;
};

// Returns the system's text for an errno, in lower case: "connection refused".
std::string SystemErrorText(int error);

// Returns a stream without TLS. The socket must be non-blocking and outlive the stream.
std::unique_ptr<SocketStream> MakePlainStream(int socket);
std::unique_ptr<SocketStream> MakeTlsStream(int socket, const ServerTls& tls);

// The client side. The handshake requests `name`, a host or an address, and verifies that the
// certificate is valid for it, unless `tls` verifies none.
struct TlsClientSide {
  boost::asio::ssl::context& tls;
  std::string name;
  bool http2 = false;  // Offered besides HTTP/1.1.
};
std::unique_ptr<SocketStream> MakeTlsStream(int socket, const TlsClientSide& side);

}  // namespace berth::net
