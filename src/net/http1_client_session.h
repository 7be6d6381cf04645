// Http1ClientSession speaks HTTP/1.1: one request at a time.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "net/client_session.h"
#include "net/http1_answer_parser.h"

namespace berth::net {

class Http1ClientSession final : public ClientSession {
 public:
  bool multiplexes() const override { return false; }
  size_t room() const override { return spent_ || !idle() ? 0 : 1; }
  bool idle() const override { return !parser_.has_value(); }
  bool finished() const override { return spent_ && idle(); }

  void Begin(RequestId id, std::shared_ptr<const WireRequest> request, AnswerSink& sink) override;
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
  std::optional<Http1AnswerParser> parser_;  // While a request is under way.
  std::vector<EndedRequest> ended_;
};

}  // namespace berth::net
