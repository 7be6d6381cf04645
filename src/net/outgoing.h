// Outgoing is what a connection has to send, in order: framing is copied in, bodies are shared.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"

namespace berth::net {

class Outgoing {
 public:
  void Copy(std::string_view bytes);
  // Keeps the piece's owner until its bytes have been consumed.
  void Share(Piece piece);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Fills `buffers` from the front with what is next, and returns how many it used. What they point
  // to stays until Copy, Share or Consume.
  size_t Gather(std::span<iovec> buffers) const;
  // The first `bytes` have been sent.
  void Consume(size_t bytes);

 private:
  // Either a piece, or a range of text_, which may move while it grows.
  struct Part {
    Piece piece;
    size_t begin = 0;
    size_t size = 0;
    bool shared = false;
  };

  std::string text_;
  std::vector<Part> parts_;
  size_t first_ = 0;  // Of parts_, those before have been sent.
  size_t sent_ = 0;   // Of the first part.
  size_t size_ = 0;
};

}  // namespace berth::net
