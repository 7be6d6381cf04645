#include "net/http2_stream.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::net {

void Http2Stream::SetBody(std::vector<Piece> pieces, std::unique_ptr<BodySource> source) {
  for (Piece& piece : pieces) {
    if (piece.bytes.empty()) continue;
    ready_ += piece.bytes.size();
    pieces_.push_back(std::move(piece));
  }
  source_ = std::move(source);
  source_ready_ = source_ != nullptr;
}

size_t Http2Stream::Prepare(size_t limit) {
  if (ready_ == 0 && source_ready_) {
    std::vector<Piece> read;
    const BodySource::State state = source_->Read(limit, read);
    for (Piece& piece : read) {
      if (piece.bytes.empty()) continue;
      ready_ += piece.bytes.size();
      pieces_.push_back(std::move(piece));
    }
    source_ready_ = state == BodySource::State::kMore && ready_ > 0;
    if (state == BodySource::State::kEnd) source_.reset();
  }
  return std::min(ready_, limit);
}

void Http2Stream::Take(size_t size, Outgoing& out) {
  CHECK(size <= ready_);
  ready_ -= size;
  while (size > 0) {
    Piece& piece = pieces_.front();
    const size_t taken = std::min(size, piece.bytes.size());
    size -= taken;
    if (taken == piece.bytes.size()) {
      out.Share(std::move(piece));
      pieces_.pop_front();
    } else {
      out.Share({piece.owner, piece.bytes.substr(0, taken)});
      piece.bytes.remove_prefix(taken);
    }
  }
}

}  // namespace berth::net
