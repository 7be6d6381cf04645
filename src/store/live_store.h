// LiveStore is the Store: tables and histories of all collections behind one mutex.
//
// Callbacks and wakes that a change sets off are collected under the mutex and called without it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/armed_wakes.h"
#include "store/history.h"
#include "store/object_table.h"
#include "store/store.h"
#include "store/visibility.h"

namespace berth::store {

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
    ArmedWakes armed;
  };

  // What a change leaves to be done without the mutex.
  struct Aftermath {
    std::vector<std::shared_ptr<const History::Chunk>> dropped;  // Freeing takes time.
    std::vector<std::shared_ptr<Wake>> wakes;
    std::vector<Visibility::Done> done;
    void Run(const Status& status);
  };

  CollectionState& At(Collection collection) const;
  // Waits until the next version may be handed out; false if no write may be made any more.
  bool AwaitTurn(std::unique_lock<std::mutex>& lock);
  // Notes an event whose object has the next version and is in its table already.
  void Commit(Collection collection, Event event, Aftermath& aftermath);
  // Shows the oldest hidden event of the collection.
  void Show(CollectionState& state, Aftermath& aftermath);
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

}  // namespace berth::store
