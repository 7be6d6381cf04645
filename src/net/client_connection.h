// ClientConnection is one connection of HttpClient: it connects, moves bytes between its socket and
// its session, and enforces the time limits.
//
// Runs on the loop's thread. Never calls its owner from within a call by the owner.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "net/client_session.h"
#include "net/polled_socket.h"
#include "net/url.h"

namespace berth::net {

class ClientConnection;

class ConnectionOwner {
 public:
  // The connection accepts requests again after it had no capacity.
  virtual void OnCapacity(ClientConnection& connection) = 0;
  virtual void OnEnded(ClientConnection& connection, std::vector<EndedRequest> ended) = 0;
  // The last call, unless the owner closed the connection: the connection is unusable. All its
  // requests have ended before.
  virtual void OnLost(ClientConnection& connection, const HttpError& why) = 0;

 protected:
  ~ConnectionOwner() = default;
};

struct ConnectionSettings {
  Url origin;                                      // The target is not used.
  std::shared_ptr<boost::asio::ssl::context> tls;  // Used if the origin is https.
  std::string server_name;  // Replaces the host when verifying the certificate, if not empty.
  bool http2 = false;       // Offered by ALPN with TLS; used with prior knowledge without TLS.
  Duration connect_timeout;
  Duration idle_limit;
  Duration ping_after;
  Duration ping_timeout;
  std::function<int()> dial;  // As in HttpClientOptions; may be null.
};

class ClientConnection final : public std::enable_shared_from_this<ClientConnection>,
                               public PolledSocket::Listener {
 public:
  ClientConnection(boost::asio::io_context& context, ConnectionSettings settings,
                   std::weak_ptr<ConnectionOwner> owner);

  void Start();
  // Ends the connection and its requests, without callbacks.
  void Close();

  const Url& origin() const { return settings_.origin; }
  // Reports whether the connection has ever been ready for requests.
  bool opened() const { return opened_; }
  bool multiplexes() const { return session_ != nullptr && session_->multiplexes(); }
  bool idle() const { return session_ != nullptr && session_->idle(); }
  size_t capacity() const { return opened_ && !lost_ && !closed_ ? session_->capacity() : 0; }

  // Checks whether the server has closed the idle connection or sent unexpected bytes; if so, the
  // connection has no capacity.
  void Probe();

  // Like ClientSession::Begin.
  void Begin(HttpClient::RequestId id, std::shared_ptr<const WireRequest> request,
             ResponseSink& sink);
  void Abandon(HttpClient::RequestId id);
  // Accepts no more requests. The connection is lost when the pending ones have ended.
  void Retire();

 private:
  void Dial();
  void Resolve();
  void Connect(const boost::asio::ip::tcp::resolver::results_type& endpoints);
  void Connected();

  // Does all work that is possible without waiting, then reports to the owner and waits.
  void Pump();
  void PumpLater();
  // The steps of Pump. Each returns whether another turn may find more work.
  bool Turn(SteadyTime now);
  bool Handshake(SteadyTime now);
  bool ReadSome();
  bool Talk(SteadyTime now);
  bool WriteSome();
  void Report();

  // Reports an error that occurred before the connection was ready.
  void Fail(HttpError::Kind kind, std::string text);
  ConnectionLoss LossOf(const StreamProblem& problem) const;

  void Wait();
  void OnReady() override { Pump(); }
  void OnTime() override;
  SteadyTime NextDeadline() const;

  const ConnectionSettings settings_;
  const std::weak_ptr<ConnectionOwner> owner_;
  boost::asio::ip::tcp::resolver resolver_;
  PolledSocket socket_;                     // Has a stream once connected.
  std::unique_ptr<ClientSession> session_;  // Null until the handshake is done.
  InputBuffer input_;
  Outgoing out_;

  bool opened_ = false;
  bool had_capacity_ = false;
  bool received_any_ = false;  // Bytes have arrived.
  bool write_failed_ = false;
  bool ended_ = false;  // Nothing more will arrive; `loss_` has the reason.
  bool lost_ = false;   // Unusable; `loss_` has the reason.
  bool closed_ = false;
  bool pumping_ = false;
  bool pump_posted_ = false;
  ConnectionLoss loss_;

  SteadyTime started_;
  SteadyTime idle_since_;
};

}  // namespace berth::net
