// Http2Stream is one request of an HTTP/2 connection and the body of its answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "net/server_session.h"

namespace berth::net {

class Http2Stream {
 public:
  enum class Phase { kHead, kBody, kHandling, kAnswering };

  explicit Http2Stream(int32_t number, SteadyTime now) : id(number), since(now) {}

  // Gives it the body of its answer: pieces, or a source, or neither.
  void SetBody(std::vector<Piece> pieces, std::unique_ptr<BodySource> source);
  // Makes up to `limit` bytes ready, asking the source if need be; returns how many are.
  size_t Prepare(size_t limit);
  // Moves `size` ready bytes to `out`.
  void Take(size_t size, Outgoing& out);
  size_t ready() const { return ready_; }
  // Nothing will follow what is ready.
  bool body_ended() const { return source_ == nullptr; }
  // The source has more.
  void Wake() { source_ready_ = true; }

  const int32_t id;
  ServerRequest request;
  Phase phase = Phase::kHead;
  SteadyTime since;  // Of the phase, or the last bytes sent.
  size_t header_bytes = 0;
  bool head_only = false;  // HEAD: the answer has no body.
  bool refused = false;    // Answered before it was complete.
  bool deferred = false;   // Nothing to send until the source is woken.

 private:
  std::deque<Piece> pieces_;
  size_t ready_ = 0;
  std::unique_ptr<BodySource> source_;
  bool source_ready_ = false;
};

}  // namespace berth::net
