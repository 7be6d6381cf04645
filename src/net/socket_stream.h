// SocketStream moves bytes over the socket of a connection, with or without TLS, and never waits:
// what cannot be done now says what to wait for.
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
  bool tls = false;  // It is about TLS, not the network.
  std::string text;  // Empty if the peer has just gone.
};

class SocketStream {
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

  virtual ~SocketStream() = default;

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
  // What went wrong, after kFailed: "connection reset by peer", "TLS: wrong version number".
  virtual StreamProblem problem() const = 0;
  // Tells the peer that nothing follows, as far as that is possible at once.
  virtual void SayGoodbye() = 0;
};

// The system's words for an errno, fit for the end of a sentence: "connection refused".
std::string SystemErrorText(int error);

// The socket must be non-blocking, and outlive the stream.
std::unique_ptr<SocketStream> MakePlainStream(int socket);
std::unique_ptr<SocketStream> MakeTlsStream(int socket, const ServerTls& tls);

// The client's end. The handshake asks for `name`, a host or an address, and checks that the
// certificate is for it, unless `tls` checks none.
struct TlsClientSide {
  boost::asio::ssl::context& tls;
  std::string name;
  bool http2 = false;  // Offers it, besides HTTP/1.1.
};
std::unique_ptr<SocketStream> MakeTlsStream(int socket, const TlsClientSide& side);

}  // namespace berth::net
