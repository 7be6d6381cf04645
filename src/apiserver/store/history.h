// History holds the recent events of a collection in the order of their versions; PastState
// reconstructs an earlier state from them.
//
// Events are numbered from 0. They are stored in chunks that never move: a reader takes references
// to chunks under the store's lock and copies the events without it. An event is hidden when it is
// appended and final once it is shown. The newest `limit` shown events are retained, fewer if the
// store drops some to save memory; hidden events are never dropped.
//
// Not thread-safe; the events of a Stretch do not change.
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
  // A chunk is full after this many events or bytes, whichever comes first. It is freed when all
  // its events are dropped, so about this much memory of dropped events remains.
  static constexpr size_t kChunkSize = 64;
  static constexpr size_t kChunkBytes = 1 << 20;
  using Chunk = std::array<Event, kChunkSize>;
  // The events [begin, end) of a chunk.
  struct Stretch {
    std::shared_ptr<const Chunk> chunk;
    size_t begin = 0;
    size_t end = 0;
  };

  // The first event must be newer than `floor`.
  History(size_t limit, Version floor) : limit_(limit), floor_(floor) {}

  void Append(Event event);
  // Shows the oldest hidden event.
  void RevealOldest();
  // Removes the hidden events and returns them, oldest first. Nothing may be appended afterwards.
  std::vector<Event> TakeHidden();
  // Drops the oldest retained event; there must be one.
  void DropOldest();
  // Removes and returns a chunk whose events are no longer retained, or nullopt if there is none.
  std::optional<Stretch> TakeDropped();
  // Removes and returns all events, none of which may be hidden.
  std::vector<Stretch> TakeAll();

  // The numbers of the retained events are [first, shown), of the hidden ones [shown, end).
  uint64_t first() const { return first_; }
  uint64_t shown() const { return shown_; }
  uint64_t end() const { return end_; }
  // Returns the memory that the retained events occupy: they share current objects with the store
  // and other objects with each other, so that only objects that were replaced or deleted count.
  size_t bytes() const { return bytes_; }
  // Every event newer than this version is retained.
  Version floor() const;
  // Returns the number of the first event newer than `version`, which may be a future event.
  uint64_t NumberAfter(Version version) const;
  // Appends the locations of the events [from, to) to `out`.
  void Find(uint64_t from, uint64_t to, std::vector<Stretch>& out) const;

 private:
  // A chunk with the number of its first event.
  struct Place {
    uint64_t begin = 0;
    size_t count = 0;
    size_t bytes = 0;
    std::shared_ptr<Chunk> chunk;

    uint64_t end() const { return begin + count; }
    bool full() const { return count == kChunkSize || bytes >= kChunkBytes; }
  };

  // Returns the index of the chunk that has the event.
  size_t Locate(uint64_t number) const;
  const Event& At(uint64_t number) const;

  size_t limit_;
  Version floor_;  // Every event newer than this is in a chunk.
  std::deque<Place> chunks_;
  uint64_t first_ = 0;
  uint64_t shown_ = 0;
  uint64_t end_ = 0;
  size_t bytes_ = 0;
};

// PastState is the difference between the current state of a collection and its state before the
// given events.
class PastState {
 public:
  struct Change {
    ObjectPtr before;         // Null if the object did not exist.
    bool exists_now = false;  // After all the events.
  };

  PastState() = default;
  // `events` are all events after the past state, oldest first. Considers only names in
  // `namespace_` (nullopt: all) that are greater than `after`.
  PastState(std::span<const History::Stretch> events, const std::optional<std::string>& namespace_,
            const std::optional<ObjectName>& after);

  // Returns the objects that differ, by name.
  const std::map<ObjectName, Change>& changes() const { return changes_; }

 private:
  std::map<ObjectName, Change> changes_;
};

}  // namespace berth::apiserver::store
