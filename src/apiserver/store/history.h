// History is the recent events of a collection, in the order of their versions.
//
// Events are numbered from 0. They come in chunks that never move, so that a reader takes
// references to chunks under the store's lock and copies the events without it. An event is
// appended hidden; showing makes it final. Of those shown the newest `limit` are kept; a hidden one
// is never dropped.
//
// Not thread-safe; what a Stretch refers to does not change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apiserver/store/stored_object.h"

namespace berth::apiserver::store {

class History {
 public:
  static constexpr size_t kChunkSize = 64;
  using Chunk = std::array<Event, kChunkSize>;
  // The events [begin, end) of a chunk.
  struct Stretch {
    std::shared_ptr<const Chunk> chunk;
    size_t begin = 0;
    size_t end = 0;
  };

  // The first event will be newer than `floor`.
  History(size_t limit, Version floor) : limit_(limit), floor_(floor) {}

  void Append(Event event);
  // Shows the oldest hidden event.
  void RevealOldest();
  // Forgets the hidden events and returns them, oldest first. Nothing may be appended after.
  std::vector<Event> TakeHidden();
  // A chunk whose events are not needed any more, or null. To be called until it is.
  std::shared_ptr<const Chunk> TakeDropped();

  // The numbers of the events kept are [first, shown), of the hidden ones [shown, end).
  uint64_t first() const { return first_; }
  uint64_t shown() const { return shown_; }
  uint64_t end() const { return end_; }
  // Every event newer than this is kept.
  Version floor() const;
  // The number of the first event that is newer than `version`, kept or yet to come.
  uint64_t NumberAfter(Version version) const;
  // Appends where the events [from, to) are to `out`.
  void Find(uint64_t from, uint64_t to, std::vector<Stretch>& out) const;

 private:
  const Event& At(uint64_t number) const;

  size_t limit_;
  Version floor_;  // Every event newer than this is in a chunk.
  std::deque<std::shared_ptr<Chunk>> chunks_;
  uint64_t base_ = 0;  // The number of the first event in the first chunk.
  uint64_t first_ = 0;
  uint64_t shown_ = 0;
  uint64_t end_ = 0;
};

// PastState undoes events: it says what a collection was before them.
class PastState {
 public:
  struct Change {
    ObjectPtr before;         // Null: there was none.
    bool exists_now = false;  // After all the events.
  };

  PastState() = default;
  // `events` are all that followed the past, oldest first; of those, the ones about names in
  // `namespace_` (nothing: all) that are greater than `after` count.
  PastState(std::span<const History::Stretch> events, const std::optional<std::string>& namespace_,
            const std::optional<ObjectName>& after);

  // The objects that differ, by name.
  const std::map<ObjectName, Change>& changes() const { return changes_; }

 private:
  std::map<ObjectName, Change> changes_;
};

}  // namespace berth::apiserver::store
