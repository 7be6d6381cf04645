// Http2ClientSession speaks HTTP/2: many requests at once, each on a stream of its own.
//
// nghttp2 does frames, header compression and flow control. Windows are large and open again as
// bytes come: whoever reads here takes everything at once. There is no capacity before the server's
// settings have come, as they say how much there is.
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
  // A connection with requests on which nothing has come for `ping_after` is pinged, and given up
  // when nothing comes for another `ping_timeout`; never if `ping_after` is 0 or less.
  Http2ClientSession(Duration ping_after, Duration ping_timeout, SteadyTime now);
  ~Http2ClientSession() override;

  bool multiplexes() const override { return true; }
  size_t capacity() const override;
  bool idle() const override { return streams_.empty(); }
  bool finished() const override;
  std::string problem() const override { return problem_; }

  void Begin(RequestId id, std::shared_ptr<const WireRequest> request, ResponseSink& sink) override;
  void Abandon(RequestId id) override;
  void Drain() override { draining_ = true; }
  size_t Receive(std::string_view bytes, SteadyTime now) override;
  void ReceiveEnd(const ConnectionLoss& loss) override;
  void Produce(Outgoing& out) override;
  std::vector<EndedRequest> TakeEnded() override;
  std::optional<SteadyTime> deadline() const override;
  void Expire(SteadyTime now) override;

 private:
  // What nghttp2 calls.
  struct Callbacks;
  struct Stream;

  Stream* Find(int32_t id);
  void AddHeader(Stream& stream, std::string_view name, std::string_view value);
  void EndHead(Stream& stream);
  void AddData(Stream& stream, std::string_view bytes);
  void EndAnswer(Stream& stream);
  // The stream is no more, for a reason of HTTP/2's.
  void Closed(Stream& stream, uint32_t code);
  void End(const Stream& stream, HttpResult<void> result, bool again = false);
  // Ends the request with an error that its sink knows, or with `problem`.
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
  Outgoing* out_ = nullptr;  // While producing.
  SteadyTime heard_at_;
  std::optional<SteadyTime> pinged_at_;
  bool settled_ = false;   // The server's settings have come.
  bool draining_ = false;  // No more requests; the pending ones go on.
  bool failed_ = false;
  std::string problem_;
};

}  // namespace berth::net
