// Answers a ListQuery from a snapshot of now and the past that was asked for. Needs no lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/store/history.h"
#include "apiserver/store/object_table.h"
#include "apiserver/store/store.h"
#include "apiserver/store/visibility.h"

namespace berth::apiserver::store {

// Fills in all but the version. `now` and `past` are those of the query's range.
ListResult MakeList(const ListQuery& query, ObjectTable::Snapshot now, const PastState& past);

// LiveStore is the Store: tables and histories of all collections behind one mutex.
//
// Callbacks and wakes that a change sets off are collected under the mutex and called without it.
class LiveStore final : public Store {
 public:
  // Empty; the newest version is `newest`.
  LiveStore(StoreOptions options, Version newest);
  ~LiveStore() override;

  // Fills the empty store with what `journal` holds, and writes to it from now on.
  Status Attach(std::unique_ptr<Journal> journal);

  ObjectPtr Get(Collection collection, const ObjectName& name) const override;
  ListResult List(Collection collection, const ListQuery& query) const override;
  size_t Count(Collection collection) const override;
  Version version() const override { return newest_; }
  Status health() const override;
  WriteOutcome Create(Collection collection, Draft draft) override;
  WriteOutcome Replace(Collection collection, Draft draft, Version seen) override;
  WriteOutcome Delete(Collection collection, const ObjectName& name, Version seen) override;
  void WhenVisible(Version version, std::function<void(Status)> done) override;
  std::unique_ptr<Cursor> Watch(Collection collection, Version from,
                                std::function<void()> wake) override;

 private:
  class LiveCursor;

  struct CollectionState {
    std::string name;
    ObjectTable objects;
    History history;
    PendingWakeups armed;
  };

  // What a change leaves to be done without the mutex.
  struct DeferredWork {
    std::vector<std::shared_ptr<const History::Chunk>> dropped;  // Freeing takes time.
    std::vector<std::shared_ptr<Wakeup>> wakes;
    std::vector<Visibility::Done> done;
    void Run(const Status& status);
  };

  CollectionState& At(Collection collection) const;
  // Waits until the next version may be handed out; false if no write may be made any more.
  bool WaitForReservedVersion(std::unique_lock<std::mutex>& lock);
  // Notes an event whose object has the next version and is in its table already.
  void Commit(Collection collection, Event event, DeferredWork& aftermath);
  // Shows the oldest hidden event of the collection.
  void Show(CollectionState& state, DeferredWork& aftermath);
  void Compact(CollectionState& state, const History::Chunk& dropped);

  // Takes an entry of the journal; false if it deletes what is not there.
  static bool Restore(CollectionState& state, const JournalEntry& entry);
  void OnDurable(Version version);
  void OnFailure(const Error& error);

  const StoreOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable reserved_;  // The journal has reserved versions, or has failed.
  mutable std::vector<CollectionState> collections_;
  std::atomic<Version> newest_;  // Written under the mutex.
  Visibility visibility_;
  std::unique_ptr<Journal> journal_;
};

// LiveStore's cursor: a place in the history of a collection.
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
  std::shared_ptr<Wakeup> wake_;
  Version position_;
  std::optional<uint64_t> next_;  // The number of the event to be read next, once it is known.
  std::vector<History::Stretch> stretches_;  // Of one Read; kept for its memory.
};

}  // namespace berth::apiserver::store
