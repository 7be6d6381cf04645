// CollectionInformer follows one collection: first all that is in it, then every change. If the
// store's history does not reach back to where it stopped, it finds out what changed by itself.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "apiserver/store/store.h"
#include "localcluster/object_json.h"
#include "localcluster/work_queue.h"

namespace berth::localcluster {

class CollectionInformer {
 public:
  // `previous` is null for what is new; `deleted` says that `object` is the last state.
  using Handler =
      std::function<void(const Kind& kind, bool deleted, apiserver::store::ObjectPtr object,
                         const apiserver::store::ObjectPtr& previous)>;

  // `store` must outlive the reader; `wake` is as in Store::Watch.
  CollectionInformer(apiserver::store::Store& store, const Kind& kind, std::function<void()> wake);

  // Tells of up to `limit` changes, or of all if it had to list. False if there were none: the next
  // one wakes.
  bool Read(size_t limit, const Handler& handle);
  // All changes up to this version have been told.
  apiserver::store::Version position() const { return cursor_ ? cursor_->position() : 0; }
  size_t size() const { return known_.size(); }

 private:
  void List(const Handler& handle);
  void Put(apiserver::store::ObjectPtr object, const Handler& handle);
  void Remove(apiserver::store::ObjectPtr object, const Handler& handle);

  apiserver::store::Store& store_;
  const Kind& kind_;
  std::function<void()> wake_;
  std::unique_ptr<apiserver::store::Store::Cursor> cursor_;  // Null before the first list.
  std::unordered_map<ObjectName, apiserver::store::ObjectPtr, NameHash> known_;
  std::vector<apiserver::store::Event> events_;
};

}  // namespace berth::localcluster
