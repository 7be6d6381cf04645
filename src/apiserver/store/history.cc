#include "apiserver/store/history.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::apiserver::store {

namespace {

// Returns the memory that is free once the event is dropped. Its object is current or belongs to a
// later event, too, unless it was deleted.
size_t BytesOf(const Event& event) {
  size_t bytes = sizeof(Event);
  if (event.previous != nullptr) bytes += MemoryOf(*event.previous);
  if (event.type == EventType::kDeleted) bytes += MemoryOf(*event.object);
  return bytes;
}

}  // namespace

size_t History::Locate(uint64_t number) const {
  const auto after =
      std::ranges::upper_bound(chunks_, number, {}, [](const Place& place) { return place.begin; });
  return static_cast<size_t>(after - chunks_.begin()) - 1;
}

const Event& History::At(uint64_t number) const {
  const Place& place = chunks_[Locate(number)];
  return (*place.chunk)[number - place.begin];
}

void History::Append(Event event) {
  if (chunks_.empty() || chunks_.back().full()) {
    chunks_.push_back({.begin = end_, .chunk = std::make_shared<Chunk>()});
  }
  Place& place = chunks_.back();
  place.bytes += BytesOf(event);
  (*place.chunk)[place.count++] = std::move(event);
  ++end_;
}

void History::RevealOldest() {
  CHECK(shown_ < end_);
  bytes_ += BytesOf(At(shown_));
  ++shown_;
  if (shown_ - first_ > limit_) DropOldest();
}

void History::DropOldest() {
  CHECK(first_ < shown_);
  bytes_ -= BytesOf(At(first_));
  ++first_;
}

std::vector<Event> History::TakeHidden() {
  // The events stay in place for concurrent readers; nothing overwrites them.
  std::vector<Event> hidden;
  for (uint64_t number = shown_; number < end_; ++number) hidden.push_back(At(number));
  end_ = shown_;
  return hidden;
}

std::optional<History::Stretch> History::TakeDropped() {
  if (chunks_.empty() || !chunks_.front().full() || first_ < chunks_.front().end()) return {};
  const Place place = std::move(chunks_.front());
  chunks_.pop_front();
  floor_ = (*place.chunk)[place.count - 1].version();
  return Stretch{.chunk = place.chunk, .begin = 0, .end = place.count};
}

std::vector<History::Stretch> History::TakeAll() {
  CHECK(shown_ == end_);
  std::vector<Stretch> all;
  for (Place& place : chunks_) {
    if (place.count == 0) continue;
    floor_ = (*place.chunk)[place.count - 1].version();
    all.push_back({.chunk = std::move(place.chunk), .begin = 0, .end = place.count});
  }
  chunks_.clear();
  first_ = shown_;
  bytes_ = 0;
  return all;
}

Version History::floor() const {
  return !chunks_.empty() && first_ > chunks_.front().begin ? At(first_ - 1).version() : floor_;
}

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
  if (from >= to) return;
  for (size_t i = Locate(from); from < to; ++i) {
    const Place& place = chunks_[i];
    const uint64_t end = std::min(to, place.end());
    out.push_back({place.chunk, from - place.begin, end - place.begin});
    from = end;
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
