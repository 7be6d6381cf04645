// A connection of HttpServer: ServerConnection moves bytes between a socket and a session, and
// ServerExchange passes the response of a handler, from any thread, to its connection.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "net/connection_table.h"
#include "net/polled_socket.h"
#include "net/server_session.h"

namespace boost::asio {
class io_context;
}

namespace berth::net {

// ExchangePort is the interface of a connection for its exchanges. All but context() must be called
// on its thread.
class ExchangePort {
 public:
  virtual boost::asio::io_context& context() = 0;
  virtual void Deliver(RequestNumber number, Outcome outcome) = 0;
  virtual void Wake(RequestNumber number) = 0;
  virtual void WakeAfter(RequestNumber number, std::chrono::milliseconds delay) = 0;
  virtual void OnAbandoned(RequestNumber number, std::function<void()> abandoned) = 0;

 protected:
  ~ExchangePort() = default;
};

class GzipResponse;

// ServerExchange passes the response of a handler, from any thread, to its connection.
class ServerExchange final : public Exchange, public std::enable_shared_from_this<ServerExchange> {
 public:
  // Holds `port` weakly: the connection, and with it the context, may be destroyed at any time.
  ServerExchange(std::weak_ptr<ExchangePort> port, RequestNumber number, ServerRequest request);
  ~ServerExchange() override;

  const ServerRequest& request() const override { return request_; }
  void Respond(ServerResponse response) override;
  void Stream(ServerResponse head, std::unique_ptr<BodySource> source) override;
  void Wake() override;
  void WakeAfter(std::chrono::milliseconds delay) override;
  void OnAbandoned(std::function<void()> abandoned) override;

 private:
  // Compresses on the connection's thread, then delivers: the caller's thread may be one that
  // everybody waits for, such as the journal's.
  void Compress(std::shared_ptr<GzipResponse> response);
  void Deliver(Outcome outcome);

  const std::weak_ptr<ExchangePort> port_;
  const RequestNumber number_;
  const ServerRequest request_;
  std::atomic<bool> responded_ = false;
  std::atomic<bool> woken_ = false;  // A wake is posted to the connection's thread.
};

class ServerWorker;

// ServerConnection moves bytes between a socket and a session, and enforces the time limits.
//
// Runs on the thread of its worker, which owns it until Close.
class ServerConnection final : public ExchangePort,
                               public std::enable_shared_from_this<ServerConnection>,
                               private SessionHost,
                               public PolledSocket::Listener {
 public:
  ServerConnection(std::shared_ptr<ServerWorker> worker, boost::asio::ip::tcp::socket socket,
                   const boost::asio::ip::address& peer, uint64_t number);

  // Sets its record in the server's table. Call it before Start.
  void Track(std::shared_ptr<ConnectionRecord> record) { record_ = std::move(record); }
  const std::shared_ptr<ConnectionRecord>& record() const { return record_; }

  void Start();
  // Accepts no more requests, and closes when the pending ones are done.
  void Drain();
  // Ends all requests; sources are destroyed.
  void Close();
  // Closes it from any thread.
  void CloseLater();

  boost::asio::io_context& context() override;
  void Deliver(RequestNumber number, Outcome outcome) override;
  void Wake(RequestNumber number) override;
  void WakeAfter(RequestNumber number, std::chrono::milliseconds delay) override;
  void OnAbandoned(RequestNumber number, std::function<void()> abandoned) override;

 private:
  void Handle(RequestNumber number, ServerRequest request) override;
  std::optional<ServerResponse> Admit(ServerRequest& head) override;
  void Abandoned(RequestNumber number) override;
  std::shared_ptr<BodyBudget> body_budget() const override;
  // Tells the handlers of all requests without a response that the peer is gone.
  void AbandonAll();

  // Does all work that is possible without waiting, then waits for the next event.
  void Pump();
  void PumpLater();
  // The steps of Pump. Each returns whether another turn may find more work.
  bool Turn(SteadyTime now);
  bool Open(SteadyTime now);
  bool ReadSome();
  bool Talk(SteadyTime now);
  bool WriteSome(SteadyTime now);

  // Chooses the protocol by the first bytes; returns false if there are too few.
  bool ChooseSession(SteadyTime now);
  void BeginGoodbye(SteadyTime now);

  void Wait();
  void OnReady() override { Pump(); }
  void OnTime() override;
  SteadyTime NextDeadline() const;
  ConnectionUse use() const;

  const std::shared_ptr<ServerWorker> worker_;
  PolledSocket socket_;
  std::unique_ptr<ServerSession> session_;  // Null until the protocol is known.
  Peer peer_;
  InputBuffer input_;
  Outgoing out_;

  bool opened_ = false;     // The handshake is done.
  bool requested_ = false;  // A request has arrived.
  bool peer_ended_ = false;
  bool told_end_ = false;
  bool goodbye_ = false;  // All is sent; the peer may still be sending.
  bool failed_ = false;
  bool closed_ = false;
  bool draining_ = false;
  bool pumping_ = false;
  bool pump_posted_ = false;

  SteadyTime started_;
  SteadyTime last_request_;
  SteadyTime last_write_;
  SteadyTime goodbye_until_;
  std::multimap<SteadyTime, RequestNumber> wakes_;
  std::unordered_map<RequestNumber, std::function<void()>> on_abandoned_;
  std::shared_ptr<ConnectionRecord> record_;
};

}  // namespace berth::net
