// The HTTP/2 side of HttpServer: Http2Stream is one request and the body of its response, and
// Http2ServerSession is the protocol of a connection.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/server_session.h"

namespace berth::net {

// Http2Stream is one request of an HTTP/2 connection and the body of its response.
class Http2Stream {
 public:
  enum class Phase { kHead, kBody, kHandling, kResponding };

  explicit Http2Stream(int32_t number, SteadyTime now) : id(number), since(now) {}

  // Sets the body of the response: pieces, or a source, or neither.
  void SetBody(std::vector<Piece> pieces, std::unique_ptr<BodySource> source);
  // Reads from the source until up to `limit` bytes are ready; returns how many are.
  size_t Prepare(size_t limit);
  // Moves `size` ready bytes to `out`.
  void Take(size_t size, Outgoing& out);
  size_t ready() const { return ready_; }
  // Reports that nothing follows the ready bytes.
  bool body_ended() const { return source_ == nullptr; }
  // Marks the source as having more.
  void Wake() { source_ready_ = true; }

  const int32_t id;
  ServerRequest request;
  Phase phase = Phase::kHead;
  SteadyTime since;  // Start of the phase, or time of the last bytes sent.
  size_t header_bytes = 0;
  size_t buffered = 0;     // Bytes of the incomplete request.
  bool head_only = false;  // HEAD: the response has no body.
  bool refused = false;    // The response was sent before the request was complete.
  bool deferred = false;   // Nothing to send until the source is woken.
  bool streams = false;    // The body of the response has a source.

 private:
  std::deque<Piece> pieces_;
  size_t ready_ = 0;
  std::unique_ptr<BodySource> source_;
  bool source_ready_ = false;
};

// Http2ServerSession implements HTTP/2: concurrent requests, each on its own stream.
//
// nghttp2 does framing, header compression and flow control. A source is read only while its stream
// and the connection have window space, so that a peer that does not read costs no memory.
class Http2ServerSession final : public ServerSession {
 public:
  // `options` and `host` must outlive it.
  Http2ServerSession(const ServerOptions& options, SessionHost& host, SteadyTime now);
  ~Http2ServerSession() override;

  size_t Receive(std::string_view bytes, SteadyTime now) override;
  // Fails: without the peer's window updates no response can be completed.
  void ReceiveEnd() override { failed_ = true; }
  void Produce(Outgoing& out, SteadyTime now) override;
  bool finished() const override;
  bool busy() const override { return handled_ + streamed_ > 0; }
  void Deliver(RequestNumber number, Outcome outcome, SteadyTime now) override;
  void Wake(RequestNumber number) override;
  std::optional<SteadyTime> deadline() const override;
  void Expire(SteadyTime now) override;
  void Drain() override;

 private:
  // The functions that nghttp2 calls.
  struct Callbacks;

  Http2Stream* Find(RequestNumber number);
  void BeginStream(int32_t id);
  // Returns false if the headers are so long that the connection must end.
  bool AddHeader(Http2Stream& stream, std::string_view name, std::string_view value);
  void EndHead(Http2Stream& stream, bool body_follows);
  void AddBody(Http2Stream& stream, std::string_view bytes);
  void EndRequest(Http2Stream& stream);
  void EndStream(int32_t id);
  // Accounts for bytes of an incomplete request. Returns false if the connection has too many.
  bool Buffer(Http2Stream& stream, size_t bytes);
  void Unbuffer(Http2Stream& stream);
  // Responds with an error before the request is complete.
  void Refuse(Http2Stream& stream, int status, const std::string& text);
  void Refuse(Http2Stream& stream, ServerResponse response);
  void Submit(Http2Stream& stream, Outcome outcome);
  void Reset(int32_t id, uint32_t code);
  // Makes Expire check the streams at `time` or earlier.
  void CheckAt(SteadyTime time);
  std::optional<SteadyTime> StreamDeadline(const Http2Stream& stream) const;
  void ExpireStream(Http2Stream& stream);

  const ServerOptions& options_;
  SessionHost& host_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::unordered_map<int32_t, std::unique_ptr<Http2Stream>> streams_;
  std::vector<int32_t> complete_;  // Requests to pass to the handler once nghttp2 has returned.
  size_t buffered_ = 0;            // Bytes of incomplete requests.
  size_t handled_ = 0;             // Requests that the handler has.
  size_t streamed_ = 0;            // Responses that have a source.
  SteadyTime now_;
  SteadyTime idle_since_;
  SteadyTime check_at_ = SteadyTime::max();
  Outgoing* out_ = nullptr;  // Set while producing.
  bool draining_ = false;
  bool failed_ = false;
};

// The functions that nghttp2 calls on behalf of an Http2ServerSession.
struct Http2ServerSession::Callbacks {
  // Creates a server session that calls `owner`.
  static nghttp2_session* MakeSession(Http2ServerSession* owner);
  // Returns the provider from which nghttp2 reads the response body of `stream`.
  static nghttp2_data_provider BodyOf(Http2Stream& stream);

 private:
  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* owner);
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t flags,
                      void* owner);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* owner);
  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* owner);
  static int OnData(nghttp2_session*, uint8_t flags, int32_t id, const uint8_t* data, size_t size,
                    void* owner);
  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t code, void* owner);
  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size,
                          uint32_t* flags, nghttp2_data_source* source, void* owner);
  static int SendData(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t size,
                      nghttp2_data_source* source, void* owner);
};

}  // namespace berth::net
