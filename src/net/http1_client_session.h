// The HTTP/1.1 side of HttpClient: Http1ResponseParser parses one response and passes it on as it
// arrives, and Http1ClientSession sends one request at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "net/client_session.h"

namespace berth::net {

// Http1ResponseParser parses one response and passes it on as it arrives. It skips informational
// (1xx) responses.
class Http1ResponseParser {
 public:
  // `head_only`: the request is a HEAD, whose response has no body whatever its headers say.
  Http1ResponseParser(ResponseSink& sink, bool head_only);
  ~Http1ResponseParser();

  // Parses the next bytes and returns how many were used. The rest must be passed again, followed
  // by more. Must not be called after the end.
  size_t Put(std::string_view bytes);
  // Ends the input; completes a response that is delimited by the end of the connection.
  void PutEnd();

  bool started() const;  // Some bytes have been used.
  bool done() const;
  bool failed() const;  // The response is invalid, or the sink aborted it.
  bool ended() const { return done() || failed(); }
  const std::string& problem() const;  // Empty if the sink aborted.

  bool keep_alive() const;  // Once done: the connection can carry another request.

 private:
  class Message;

  ResponseSink& sink_;
  const bool head_only_;
  bool started_ = false;
  std::unique_ptr<Message> message_;
};

// Http1ClientSession implements HTTP/1.1: one request at a time.
class Http1ClientSession final : public ClientSession {
 public:
  bool multiplexes() const override { return false; }
  size_t capacity() const override { return spent_ || !idle() ? 0 : 1; }
  bool idle() const override { return !parser_.has_value(); }
  bool finished() const override { return spent_ && idle(); }

  void Begin(RequestId id, std::shared_ptr<const WireRequest> request, ResponseSink& sink,
             SteadyTime now) override;
  void Abandon(RequestId id) override;
  void Drain() override { spent_ = true; }
  size_t Receive(std::string_view bytes, SteadyTime now) override;
  void ReceiveEnd(const ConnectionLoss& loss) override;
  void Produce(Outgoing& out) override;
  std::vector<EndedRequest> TakeEnded() override;
  std::optional<SteadyTime> deadline() const override;
  void Expire(SteadyTime now) override;

 private:
  void End(HttpResult<void> result);

  bool spent_ = false;  // The current request is the last.
  RequestId id_ = 0;
  std::shared_ptr<const WireRequest> unsent_;
  Duration silence_limit_;                     // Of the current request.
  SteadyTime last_received_;                   // Or sent, if nothing was received since.
  size_t unused_ = 0;                          // Bytes that Receive did not use and gets again.
  std::optional<Http1ResponseParser> parser_;  // Set while a request is pending.
  std::vector<EndedRequest> ended_;
};

}  // namespace berth::net
