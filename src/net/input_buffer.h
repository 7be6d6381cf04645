// InputBuffer holds what was read from a peer and not used yet, in one piece.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace berth::net {

class InputBuffer {
 public:
  std::string_view view() const { return {bytes_.data() + begin_, size_}; }
  size_t size() const { return size_; }

  // Room for `size` bytes behind those that are there. Moves them.
  std::span<char> Prepare(size_t size) {
    if (begin_ > 0) std::memmove(bytes_.data(), bytes_.data() + begin_, size_);
    begin_ = 0;
    if (bytes_.size() < size_ + size) bytes_.resize(size_ + size);
    return std::span(bytes_).subspan(size_, size);
  }
  // The first `size` bytes of that room are filled.
  void Commit(size_t size) { size_ += size; }

  void Consume(size_t size) {
    begin_ += size;
    size_ -= size;
    if (size_ > 0) return;
    begin_ = 0;
    // One large request must not keep its memory for the connection's lifetime.
    if (bytes_.size() > kMaxKept) std::vector<char>().swap(bytes_);
  }

 private:
  static constexpr size_t kMaxKept = 16 << 10;

  std::vector<char> bytes_;
  size_t begin_ = 0;
  size_t size_ = 0;
};

}  // namespace berth::net
