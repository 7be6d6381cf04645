// Http2Session speaks HTTP/2: many requests at once, each on a stream of its own.
//
// nghttp2 does frames, header compression and flow control. A source is read only while its stream
// and the connection have room, so that a peer that does not read holds nothing but its place.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/http2_stream.h"
#include "net/server_session.h"

struct nghttp2_session;

namespace berth::net {

class Http2Session final : public ServerSession {
 public:
  // `options` and `host` must outlive it.
  Http2Session(const ServerOptions& options, SessionHost& host, SteadyTime now);
  ~Http2Session() override;

  size_t Receive(std::string_view bytes, SteadyTime now) override;
  // Without the peer's window updates nothing can be ended well: this is the end.
  void ReceiveEnd() override { failed_ = true; }
  void Produce(Outgoing& out, SteadyTime now) override;
  bool finished() const override;
  void Deliver(RequestNumber number, Outcome outcome, SteadyTime now) override;
  void Wake(RequestNumber number) override;
  std::optional<SteadyTime> deadline() const override;
  void Expire(SteadyTime now) override;
  void Drain() override;

 private:
  // What nghttp2 calls.
  struct Callbacks;

  Http2Stream* Find(RequestNumber number);
  void BeginStream(int32_t id);
  void AddHeader(Http2Stream& stream, std::string_view name, std::string_view value);
  void EndHead(Http2Stream& stream);
  void AddBody(Http2Stream& stream, std::string_view bytes);
  void EndRequest(Http2Stream& stream);
  void EndStream(int32_t id);
  // Answers with an error before the request is complete.
  void Refuse(Http2Stream& stream, int status, const std::string& text);
  void Submit(Http2Stream& stream, Outcome outcome);
  void Reset(int32_t id, uint32_t code);
  // Makes Expire look at the streams at `time`, or before.
  void CheckAt(SteadyTime time);
  std::optional<SteadyTime> StreamDeadline(const Http2Stream& stream) const;
  void ExpireStream(Http2Stream& stream);

  const ServerOptions& options_;
  SessionHost& host_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::unordered_map<int32_t, std::unique_ptr<Http2Stream>> streams_;
  std::vector<int32_t> complete_;  // Requests to be handled once nghttp2 has returned.
  size_t buffered_ = 0;            // Bytes of bodies that are not complete.
  SteadyTime now_;
  SteadyTime idle_since_;
  SteadyTime check_at_ = SteadyTime::max();
  Outgoing* out_ = nullptr;  // While producing.
  bool draining_ = false;
  bool failed_ = false;
};

}  // namespace berth::net
