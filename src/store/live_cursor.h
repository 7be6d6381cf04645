// LiveStore's cursor: a place in the history of a collection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "store/live_store.h"

namespace berth::store {

class LiveStore::LiveCursor final : public Store::Cursor {
 public:
  // Called under the store's mutex.
  LiveCursor(LiveStore& store, CollectionState& state, Version from, std::function<void()> wake);
  ~LiveCursor() override;

  bool Read(size_t limit, std::vector<Event>& out) override;
  Version position() const override { return position_; }

 private:
  LiveStore& store_;
  CollectionState& state_;
  std::shared_ptr<Wake> wake_;
  Version position_;
  std::optional<uint64_t> next_;  // The number of the event to be read next, once it is known.
  std::vector<History::Stretch> stretches_;  // Of one Read; kept for its memory.
};

}  // namespace berth::store
