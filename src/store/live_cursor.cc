#include "store/live_cursor.h"

#include <algorithm>
#include <utility>

namespace berth::store {

LiveStore::LiveCursor::LiveCursor(LiveStore& store, CollectionState& state, Version from,
                                  std::function<void()> wake)
    : store_(store),
      state_(state),
      wake_(std::make_shared<Wake>(Wake{.call = std::move(wake)})),
      position_(from) {}

LiveStore::LiveCursor::~LiveCursor() {
  const std::lock_guard lock(store_.mutex_);
  state_.armed.Disarm(*wake_);
}

bool LiveStore::LiveCursor::Read(size_t limit, std::vector<Event>& out) {
  {
    const std::lock_guard lock(store_.mutex_);
    const History& history = state_.history;
    if (!next_ || *next_ < history.first()) {
      if (position_ < history.floor()) return false;
      next_ = history.NumberAfter(position_);
    }
    const uint64_t shown = std::max(history.shown(), *next_);
    const uint64_t end = *next_ + std::min<uint64_t>(limit, shown - *next_);
    history.Find(*next_, end, stretches_);
    if (shown == *next_) state_.armed.Arm(wake_);
    next_ = end;
    if (end == shown) position_ = std::max(position_, store_.visibility_.visible());
    // A place among versions that are yet to come has no number.
    if (position_ > store_.newest_) next_.reset();
  }
  for (const auto& [chunk, begin, end] : stretches_) {
    out.insert(out.end(), chunk->begin() + begin, chunk->begin() + end);
  }
  if (!stretches_.empty()) position_ = std::max(position_, out.back().version());
  stretches_.clear();
  return true;
}

std::unique_ptr<Store::Cursor> LiveStore::Watch(Collection collection, Version from,
                                                std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  return std::make_unique<LiveCursor>(*this, At(collection), from, std::move(wake));
}

}  // namespace berth::store
