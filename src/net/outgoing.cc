#include "net/outgoing.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::net {

namespace {

// Copying fewer bytes than this is cheaper than sharing them.
constexpr size_t kWorthSharing = 1024;
// The capacity that is retained for the next batch.
constexpr size_t kMaxRetainedText = 16 << 10;

}  // namespace

void Outgoing::Copy(std::string_view bytes) {
  if (bytes.empty()) return;
  const size_t begin = text_.size();
  text_.append(bytes);
  size_ += bytes.size();
  if (first_ < parts_.size() && !parts_.back().shared) {
    parts_.back().size += bytes.size();
    return;
  }
  Part& part = parts_.emplace_back();
  part.begin = begin;
  part.size = bytes.size();
}

void Outgoing::Share(Piece piece) {
  if (piece.bytes.size() < kWorthSharing) return Copy(piece.bytes);
  Part& part = parts_.emplace_back();
  part.size = piece.bytes.size();
  part.shared = true;
  part.piece = std::move(piece);
  size_ += part.size;
}

size_t Outgoing::Gather(std::span<iovec> buffers) const {
  size_t used = 0;
  size_t skipped = sent_;
  for (size_t i = first_; i < parts_.size() && used < buffers.size(); ++i) {
    const Part& part = parts_[i];
    const char* const begin = part.shared ? part.piece.bytes.data() : text_.data() + part.begin;
    // iovec is used for reading and writing, so it has no const.
    buffers[used++] = {.iov_base = const_cast<char*>(begin + skipped),
                       .iov_len = part.size - skipped};
    skipped = 0;
  }
  return used;
}

void Outgoing::Consume(size_t bytes) {
  CHECK(bytes <= size_);
  size_ -= bytes;
  while (bytes > 0) {
    Part& part = parts_[first_];
    const size_t taken = std::min(bytes, part.size - sent_);
    bytes -= taken;
    sent_ += taken;
    if (sent_ < part.size) return;
    part.piece = {};
    sent_ = 0;
    ++first_;
  }
  if (size_ > 0) return;
  parts_.clear();
  first_ = 0;
  text_.clear();
  if (text_.capacity() > kMaxRetainedText) text_.shrink_to_fit();
}

}  // namespace berth::net
