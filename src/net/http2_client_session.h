// Http2ClientSession implements HTTP/2: concurrent requests, each on its own stream.
//
// nghttp2 does framing, header compression and flow control. Windows are large and reopen as bytes
// arrive, because all bytes are consumed at once. There is no capacity before the server's settings
// have arrived, since they contain the limit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "net/client_session.h"

struct nghttp2_session;

namespace berth::net {

class Http2ClientSession final : public ClientSession {
 public:
  // Pings a connection with pending requests that has received nothing for `ping_after`, and fails
  // it after another `ping_timeout` without bytes; never pings if `ping_after` is 0 or less.
  Http2ClientSession(Duration ping_after, Duration ping_timeout, SteadyTime now);
  ~Http2ClientSession() override;

  bool multiplexes() const override { return true; }
  size_t capacity() const override;
  bool idle() const override { return streams_.empty(); }
  bool finished() const override;
  std::string problem() const override { return problem_; }

  void Begin(RequestId id, std::shared_ptr<const WireRequest> request, ResponseSink& sink,
             SteadyTime now) override;
  void Abandon(RequestId id) override;
  void Drain() override { draining_ = true; }
  size_t Receive(std::string_view bytes, SteadyTime now) override;
  void ReceiveEnd(const ConnectionLoss& loss) override;
  void Produce(Outgoing& out) override;
  std::vector<EndedRequest> TakeEnded() override;
  std::optional<SteadyTime> deadline() const override;
  void Expire(SteadyTime now) override;

 private:
  // The functions that nghttp2 calls.
  struct Callbacks;
  struct Stream;

  Stream* Find(int32_t id);
  void AddHeader(Stream& stream, std::string_view name, std::string_view value);
  void EndHead(Stream& stream);
  void AddData(Stream& stream, std::string_view bytes);
  void EndResponse(Stream& stream);
  // Ends the request of a stream that was closed with an HTTP/2 error code.
  void Closed(Stream& stream, uint32_t code);
  void End(const Stream& stream, HttpResult<void> result, bool again = false);
  // Ends the request with the error of its sink, or with `problem`.
  void Refuse(const Stream& stream, std::string problem);
  void Reset(int32_t id);
  void Fail(const ConnectionLoss& loss);
  ConnectionLoss BrokenRules() const;

  const Duration ping_after_;
  const Duration ping_timeout_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::map<int32_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<RequestId, int32_t> stream_of_;
  std::vector<EndedRequest> ended_;
  Outgoing* out_ = nullptr;  // Set while producing.
  SteadyTime last_received_;
  std::optional<SteadyTime> pinged_at_;
  bool settled_ = false;   // The server's settings have arrived.
  bool draining_ = false;  // No new requests; the pending ones continue.
  bool failed_ = false;
  std::string problem_;
};

}  // namespace berth::net
