// ServerExchange carries what a handler decides, on whatever thread, to the connection that waits
// for it.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "net/server_session.h"

namespace boost::asio {
class io_context;
}

namespace berth::net {

// ExchangePort is a connection as its exchanges see it. All but context() is for its own thread.
class ExchangePort {
 public:
  virtual boost::asio::io_context& context() = 0;
  virtual void Deliver(RequestNumber number, Outcome outcome) = 0;
  virtual void Wake(RequestNumber number) = 0;
  virtual void WakeAfter(RequestNumber number, std::chrono::milliseconds delay) = 0;

 protected:
  ~ExchangePort() = default;
};

class ServerExchange final : public Exchange, public std::enable_shared_from_this<ServerExchange> {
 public:
  // Holds `port` weakly: the connection may go at any time, and with it the context.
  ServerExchange(std::weak_ptr<ExchangePort> port, RequestNumber number, ServerRequest request);
  ~ServerExchange() override;

  const ServerRequest& request() const override { return request_; }
  void Answer(ServerAnswer answer) override;
  void Stream(ServerAnswer head, std::unique_ptr<BodySource> source) override;
  void Wake() override;
  void WakeAfter(std::chrono::milliseconds delay) override;

 private:
  void Finish(Outcome outcome);

  const std::weak_ptr<ExchangePort> port_;
  const RequestNumber number_;
  const ServerRequest request_;
  std::atomic<bool> answered_ = false;
  std::atomic<bool> woken_ = false;  // A wake is on its way to the connection's thread.
};

}  // namespace berth::net
