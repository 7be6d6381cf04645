// Http1ResponseParser parses one HTTP/1.1 response and passes it on as it arrives. 1xx responses,
// which only announce another, are passed over.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/client_session.h"

namespace berth::net {

class Http1ResponseParser {
 public:
  // `head_only`: to a HEAD request, which has no body whatever its headers say.
  Http1ResponseParser(ResponseSink& sink, bool head_only);
  ~Http1ResponseParser();

  // Takes the next bytes and returns how many it used. Those left are to come again, with more
  // behind them. Not when it has ended.
  size_t Put(std::string_view bytes);
  // Nothing follows; completes a response that ends with the connection.
  void PutEnd();

  bool started() const;  // Some bytes have been used.
  bool done() const;
  bool failed() const;  // It is no response, or the sink ended it.
  bool ended() const { return done() || failed(); }
  const std::string& problem() const;  // Empty if it is the sink's.

  bool keep_alive() const;  // When it is done: the connection can carry another request.

 private:
  class Message;

  ResponseSink& sink_;
  const bool head_only_;
  bool started_ = false;
  std::unique_ptr<Message> message_;
};

// Http1ClientSession speaks HTTP/1.1: one request at a time.
class Http1ClientSession final : public ClientSession {
 public:
  bool multiplexes() const override { return false; }
  size_t capacity() const override { return spent_ || !idle() ? 0 : 1; }
  bool idle() const override { return !parser_.has_value(); }
  bool finished() const override { return spent_ && idle(); }

  void Begin(RequestId id, std::shared_ptr<const WireRequest> request, ResponseSink& sink) override;
  void Abandon(RequestId id) override;
  void Drain() override { spent_ = true; }
  size_t Receive(std::string_view bytes, SteadyTime now) override;
  void ReceiveEnd(const ConnectionLoss& loss) override;
  void Produce(Outgoing& out) override;
  std::vector<EndedRequest> TakeEnded() override;
  std::optional<SteadyTime> deadline() const override { return std::nullopt; }
  void Expire(SteadyTime) override {}

 private:
  void End(HttpResult<void> result);

  bool spent_ = false;  // This request is the last.
  RequestId id_ = 0;
  std::shared_ptr<const WireRequest> unsent_;
  std::optional<Http1ResponseParser> parser_;  // While a request is pending.
  std::vector<EndedRequest> ended_;
};

}  // namespace berth::net
