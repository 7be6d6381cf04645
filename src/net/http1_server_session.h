// The HTTP/1.1 side of HttpServer: Http1RequestParser parses consecutive requests, and
// Http1ServerSession responds to them in order.
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

// Http1RequestParser parses requests, one after another.
class Http1RequestParser {
 public:
  // Why a request is rejected.
  struct Problem {
    int status = 400;
    std::string text;
  };

  // `budget` accounts for bodies; it may be null.
  Http1RequestParser(size_t max_header_bytes, size_t max_body_bytes,
                     std::shared_ptr<BodyBudget> budget);
  ~Http1RequestParser();

  // Parses the next bytes of the request and returns how many were used. The rest must be passed
  // again, followed by more. Must not be called after a problem, nor when done, until TakeRequest.
  size_t Put(std::string_view bytes);

  bool started() const;    // Some bytes have been used.
  bool head_done() const;  // The body follows.
  bool done() const;
  const std::optional<Problem>& problem() const;

  // Reports whether the connection persists after the request. Known once the head is done.
  bool keep_alive() const;
  bool http10() const;
  const ServerRequest& request() const;
  ServerRequest& request();

  // Returns the complete request. The next bytes belong to another one.
  ServerRequest TakeRequest();
  // Drops the request, after which nothing more is parsed.
  void Drop();

 private:
  class Message;

  const size_t max_header_bytes_;
  const size_t max_body_bytes_;
  const std::shared_ptr<BodyBudget> budget_;
  std::unique_ptr<Message> message_;
};

// Http1ServerSession implements HTTP/1.1: one request after another, with responses in order.
class Http1ServerSession final : public ServerSession {
 public:
  // `options` and `host` must outlive it.
  Http1ServerSession(const ServerOptions& options, SessionHost& host, SteadyTime now);

  size_t Receive(std::string_view bytes, SteadyTime now) override;
  void ReceiveEnd() override;
  void Produce(Outgoing& out, SteadyTime now) override;
  bool finished() const override { return phase_ == Phase::kFinished; }
  bool busy() const override { return phase_ == Phase::kHandling || phase_ == Phase::kStreaming; }
  void Deliver(RequestNumber number, Outcome outcome, SteadyTime now) override;
  void Wake(RequestNumber number) override;
  std::optional<SteadyTime> deadline() const override;
  void Expire(SteadyTime now) override;
  void Drain() override;

 private:
  enum class Phase {
    kIdle,       // Between requests.
    kHead,       // Reading the head.
    kBody,       // Reading the body.
    kHandling,   // The handler has the request.
    kResponded,  // The outcome is ready to be sent.
    kStreaming,  // A source produces the body of the response.
    kFinished,
  };

  void Enter(Phase phase, SteadyTime now);
  // Enters the next phase, depending on what the parser has read.
  void Advance(SteadyTime now);
  // Decides about a request whose head is complete.
  void EndHead(SteadyTime now);
  // Responds with a plain-text error and ends the connection.
  void Refuse(int status, const std::string& text, SteadyTime now);
  void Refuse(ServerResponse response, SteadyTime now);
  void SendOutcome(Outgoing& out, SteadyTime now);
  void SendStream(Outgoing& out, SteadyTime now);
  // Prepares for the next request after a response.
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

  // Members only to reuse their memory.
  std::string head_;
  std::vector<Piece> pieces_;
};

}  // namespace berth::net
