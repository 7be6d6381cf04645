// Http1RequestParser reads one HTTP/1.1 request after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"
#include "net/server_session.h"

namespace berth::net {

class Http1RequestParser {
 public:
  // Why a request cannot be taken.
  struct Problem {
    int status = 400;
    std::string text;
  };

  Http1RequestParser(size_t max_header_bytes, size_t max_body_bytes);
  ~Http1RequestParser();

  // Takes the next bytes of the request and returns how many it used. Those left are to come again,
  // with more behind them. Not after a problem, and not when done, until TakeRequest.
  size_t Put(std::string_view bytes);

  bool started() const;    // Some bytes have been used.
  bool head_done() const;  // What follows is the body.
  bool done() const;
  const std::optional<Problem>& problem() const;

  // Known when the head is done.
  bool keep_alive() const;
  bool http10() const;
  const ServerRequest& request() const;

  // The complete request. The next bytes are another's.
  ServerRequest TakeRequest();

 private:
  class Message;

  const size_t max_header_bytes_;
  const size_t max_body_bytes_;
  std::unique_ptr<Message> message_;
};

// Http1ServerSession speaks HTTP/1.1: requests one after the other, with responses in their order.
class Http1ServerSession final : public ServerSession {
 public:
  // `options` and `host` must outlive it.
  Http1ServerSession(const ServerOptions& options, SessionHost& host, SteadyTime now);

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
    kAnswered,   // The outcome waits to be sent.
    kStreaming,  // The body of the response comes from a source.
    kFinished,
  };

  void Enter(Phase phase, SteadyTime now);
  // What has been read so far decides what comes next.
  void Advance(SteadyTime now);
  // Answers with an error, in plain text, and ends the connection.
  void Refuse(int status, const std::string& text, SteadyTime now);
  void SendOutcome(Outgoing& out, SteadyTime now);
  void SendStream(Outgoing& out, SteadyTime now);
  // After a response.
  void EndExchange(SteadyTime now);

  const ServerOptions& options_;
  SessionHost& host_;
  Http1RequestParser parser_;
  Phase phase_ = Phase::kIdle;
  SteadyTime entered_;
  bool peer_ended_ = false;
  bool draining_ = false;
  bool continue_due_ = false;

  // Of the current request.
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
