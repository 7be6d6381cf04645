// Http1Session speaks HTTP/1.1: requests one after the other, answered in their order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/http1_parser.h"
#include "net/server_session.h"

namespace berth::net {

class Http1Session final : public ServerSession {
 public:
  // `options` and `host` must outlive it.
  Http1Session(const ServerOptions& options, SessionHost& host, SteadyTime now);

  size_t Receive(std::string_view bytes, SteadyTime now) override;
  void ReceiveEnd() override;
  void Produce(Outgoing& out, SteadyTime now) override;
  bool finished() const override { return phase_ == Phase::kFinished; }
  void Deliver(RequestNumber number, Outcome outcome, SteadyTime now) override;
  void Wake(RequestNumber number) override;
  std::optional<SteadyTime> deadline() const override;
  void Expire(SteadyTime now) override;
  void Drain() override;

 private:
  enum class Phase {
    kIdle,       // Between requests.
    kHead,       // Within the head of one.
    kBody,       // Within its body.
    kHandling,   // The handler has it.
    kAnswered,   // The outcome is to be sent.
    kStreaming,  // The body of the answer comes from a source.
    kFinished,
  };

  void Enter(Phase phase, SteadyTime now);
  // What has been read so far decides what comes next.
  void Advance(SteadyTime now);
  // Answers with an error, in plain text, and ends the connection.
  void Refuse(int status, const std::string& text, SteadyTime now);
  void SendOutcome(Outgoing& out, SteadyTime now);
  void SendStream(Outgoing& out, SteadyTime now);
  // After an answer.
  void EndExchange(SteadyTime now);

  const ServerOptions& options_;
  SessionHost& host_;
  Http1Parser parser_;
  Phase phase_ = Phase::kIdle;
  SteadyTime entered_;
  bool peer_ended_ = false;
  bool draining_ = false;
  bool continue_due_ = false;

  // Of the request under way.
  RequestNumber number_ = 0;
  bool keep_alive_ = true;
  bool head_only_ = false;
  bool http10_ = false;
  Outcome outcome_;
  std::unique_ptr<BodySource> source_;
  bool source_ready_ = false;
  bool chunked_ = false;

  // Kept for their memory.
  std::string head_;
  std::vector<Piece> pieces_;
};

}  // namespace berth::net
