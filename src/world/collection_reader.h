// CollectionReader follows one collection: first all that is in it, then every change. If the
// store's history does not reach back to where it stopped, it finds out what changed by itself.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "store/store.h"
#include "world/kinds.h"
#include "world/work_queue.h"

namespace berth::world {

class CollectionReader {
 public:
  // `previous` is null for what is new; `deleted` says that `object` is the last state.
  using Tell = std::function<void(const Kind& kind, bool deleted, store::ObjectPtr object,
                                  const store::ObjectPtr& previous)>;

  // `store` must outlive the reader; `wake` is as in Store::Watch.
  CollectionReader(store::Store& store, const Kind& kind, std::function<void()> wake);

  // Tells of up to `limit` changes, or of all if it had to list. False if there were none: the next
  // one wakes.
  bool Read(size_t limit, const Tell& tell);
  // All changes up to this version have been told.
  store::Version position() const { return cursor_ ? cursor_->position() : 0; }
  size_t size() const { return known_.size(); }

 private:
  void List(const Tell& tell);
  void Put(store::ObjectPtr object, const Tell& tell);
  void Remove(store::ObjectPtr object, const Tell& tell);

  store::Store& store_;
  const Kind& kind_;
  std::function<void()> wake_;
  std::unique_ptr<store::Store::Cursor> cursor_;  // Null before the first list.
  std::unordered_map<ObjectName, store::ObjectPtr, NameHash> known_;
  std::vector<store::Event> events_;
};

}  // namespace berth::world
