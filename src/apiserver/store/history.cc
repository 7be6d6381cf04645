#include "apiserver/store/history.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::apiserver::store {

const Event& History::At(uint64_t number) const {
  const uint64_t offset = number - base_;
  return (*chunks_[offset / kChunkSize])[offset % kChunkSize];
}

void History::Append(Event event) {
  const uint64_t offset = end_ - base_;
  if (offset / kChunkSize == chunks_.size()) chunks_.push_back(std::make_shared<Chunk>());
  (*chunks_[offset / kChunkSize])[offset % kChunkSize] = std::move(event);
  ++end_;
}

void History::RevealOldest() {
  CHECK(shown_ < end_);
  ++shown_;
  if (shown_ - first_ > limit_) ++first_;
}

std::vector<Event> History::TakeHidden() {
  // The events stay in place for concurrent readers; nothing overwrites them.
  std::vector<Event> hidden;
  for (uint64_t number = shown_; number < end_; ++number) hidden.push_back(At(number));
  end_ = shown_;
  return hidden;
}

std::shared_ptr<const History::Chunk> History::TakeDropped() {
  if (first_ < base_ + kChunkSize) return nullptr;
  auto dropped = std::move(chunks_.front());
  chunks_.pop_front();
  base_ += kChunkSize;
  floor_ = dropped->back().version();
  return dropped;
}

Version History::floor() const { return first_ > base_ ? At(first_ - 1).version() : floor_; }

uint64_t History::NumberAfter(Version version) const {
  uint64_t low = first_, high = end_;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (At(middle).version() > version) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

void History::Find(uint64_t from, uint64_t to, std::vector<Stretch>& out) const {
  while (from < to) {
    const uint64_t offset = from - base_;
    const size_t begin = offset % kChunkSize;
    const size_t end = std::min<uint64_t>(kChunkSize, begin + (to - from));
    out.push_back({chunks_[offset / kChunkSize], begin, end});
    from += end - begin;
  }
}

PastState::PastState(std::span<const History::Stretch> events,
                     const std::optional<std::string>& namespace_,
                     const std::optional<ObjectName>& after) {
  for (const History::Stretch& stretch : events) {
    for (size_t i = stretch.begin; i < stretch.end; ++i) {
      const Event& event = (*stretch.chunk)[i];
      const ObjectName& name = event.object->key;
      if (namespace_ && name.namespace_ != *namespace_) continue;
      if (after && name <= *after) continue;
      // The first event of a name has the past state.
      const auto [at, added] = changes_.try_emplace(name);
      if (added) at->second.before = event.previous;
      at->second.exists_now = event.type != EventType::kDeleted;
    }
  }
}

}  // namespace berth::apiserver::store
