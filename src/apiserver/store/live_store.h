// LiveStore is the implementation of Store: tables and histories of all collections behind one
// mutex, persisted by a journal if there is one.
//
// Callbacks and wakeups that a change causes are collected under the mutex and called without it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/history.h"
#include "apiserver/store/object_table.h"
#include "apiserver/store/store.h"
#include "apiserver/store/visibility.h"

namespace berth::apiserver::store {

// Executes `query` on a snapshot of the current state and the difference to the requested past
// state, both restricted to the query's range. Sets all members of the result except the version.
// Needs no lock.
ListResult MakeList(const ListQuery& query, ObjectTable::Snapshot now, const PastState& past);

class LiveStore final : public Store {
 public:
  // Creates an empty store; the next version is `newest` + 1.
  LiveStore(StoreOptions options, Version newest);
  ~LiveStore() override;

  // Restores the empty store from `journal` and writes to it from then on.
  Status Attach(std::unique_ptr<Journal> journal);

  ObjectPtr Get(Collection collection, const ObjectName& name) const override;
  ListResult List(Collection collection, const ListQuery& query) const override;
  size_t Count(Collection collection) const override;
  Collection AddCollection(const std::string& name) override;
  bool RemoveCollection(Collection collection) override;
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
    std::string_view name;  // In names_.
    ObjectTable objects;
    History history;
    PendingWakeups waiting;
    bool removed = false;  // Its slot is emptied once no event is hidden.
  };
  using StatePtr = std::shared_ptr<CollectionState>;

  // A part of a history that is no longer retained.
  struct DroppedEvents {
    CollectionState* collection;
    History::Stretch events;
  };

  // The consequences of a change that are executed without the mutex.
  struct DeferredWork {
    std::vector<DroppedEvents> dropped;  // Freeing them is slow.
    std::vector<std::shared_ptr<Wakeup>> wakes;
    std::vector<Visibility::Done> done;
    void Run(const Status& status);
  };

  // Returns null if the collection was removed.
  CollectionState* Find(Collection collection) const;
  CollectionState& At(Collection collection) const;
  Collection Add(std::string_view name, Version floor);
  // Empties the slot of a removed collection if none of its events is hidden.
  void FinishRemoval(Collection collection, DeferredWork& deferred);
  // Waits until the next version may be assigned; returns false if the journal has failed.
  bool WaitForReservedVersion(std::unique_lock<std::mutex>& lock);
  // Records an event whose object has the next version and is already in its table.
  void Commit(Collection collection, Event event, DeferredWork& deferred);
  // Shows the oldest hidden event of the collection.
  void Show(CollectionState& state, DeferredWork& deferred);
  // Enforces the limits of the histories after an event of `state` was shown. Returns the events
  // whose memory can be freed.
  std::vector<DroppedEvents> TrimHistories(CollectionState& state);
  // Returns the collection with the largest history if all together are too large, or null.
  CollectionState* FindOversizedHistory();
  // Calls `change` on the history, and counts its bytes.
  template <typename Change>
  void ChangeHistory(CollectionState& state, Change change) {
    history_bytes_ -= state.history.bytes();
    change(state.history);
    history_bytes_ += state.history.bytes();
  }
  // Returns the rows of the journal that only those events need.
  static Compaction CompactionOf(const DroppedEvents& dropped);

  // Applies an entry of the journal; returns false if it deletes an object that does not exist.
  bool Restore(CollectionState& state, const JournalEntry& entry);
  void OnDurable(Version version);
  void OnFailure(const Error& error);

  const StoreOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable reserved_;   // Notified when the journal has reserved versions or failed.
  std::vector<StatePtr> collections_;  // Null if removed.
  std::map<std::string, Collection, std::less<>> by_name_;  // Of those that were not removed.
  std::set<std::string, std::less<>> names_;  // Of all that ever were: the journal refers to them.
  size_t history_bytes_ = 0;                  // Of all collections.
  std::atomic<Version> newest_;               // Modified under the mutex.
  Visibility visibility_;
  std::unique_ptr<Journal> journal_;
};

// LiveCursor is a position in the history of a collection.
class LiveStore::LiveCursor final : public Store::Cursor {
 public:
  // Must be called with the store's mutex held.
  LiveCursor(LiveStore& store, StatePtr state, Version from, std::function<void()> wake);
  ~LiveCursor() override;

  bool Read(size_t limit, std::vector<Event>& out) override;
  Version position() const override { return position_; }

 private:
  LiveStore& store_;
  StatePtr state_;
  std::shared_ptr<Wakeup> wake_;
  Version position_;
  std::optional<uint64_t> next_;             // The number of the next event, once it is known.
  std::vector<History::Stretch> stretches_;  // Scratch space of Read.
};

}  // namespace berth::apiserver::store
