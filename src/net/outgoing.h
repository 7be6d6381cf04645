// Outgoing is the send queue of a connection: framing is copied, bodies are shared.
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
  // Appends a piece and holds its owner until its bytes have been consumed.
  void Share(Piece piece);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Fills `buffers` with the next bytes and returns how many buffers it used. They stay valid until
  // Copy, Share or Consume.
  size_t Gather(std::span<iovec> buffers) const;
  // Removes the first `bytes`, which have been sent.
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
  size_t first_ = 0;  // The index in parts_ of the first part that is not completely sent.
  size_t sent_ = 0;   // Bytes of that part that are sent.
  size_t size_ = 0;
};

}  // namespace berth::net
