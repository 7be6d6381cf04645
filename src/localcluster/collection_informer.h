// CollectionInformer lists and watches one collection of the store. If the store's history no
// longer reaches back to its position, it lists again and derives the changes itself.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/scheme/kind_set.h"
#include "apiserver/store/store.h"
#include "localcluster/object_json.h"
#include "localcluster/work_queue.h"

namespace berth::localcluster {

class CollectionInformer {
 public:
  // `previous` is null for a new object; if `deleted`, `object` is its last state.
  using Handler = std::function<void(const api::scheme::KindPtr& kind, bool deleted,
                                     apiserver::store::ObjectPtr object,
                                     const apiserver::store::ObjectPtr& previous)>;

  // `store` must outlive the informer; `wake` is as in Store::Watch.
  CollectionInformer(apiserver::store::Store& store, api::scheme::KindPtr kind,
                     std::function<void()> wake);

  // Replaces the kind by a newer one of the same collection.
  void Use(api::scheme::KindPtr kind) { kind_ = std::move(kind); }

  // Calls `handle` for up to `limit` changes, or for all if it had to list. Returns false if there
  // were none; `wake` is then called for the next one.
  bool Read(size_t limit, const Handler& handle);
  // Returns the version up to which all changes have been handled.
  apiserver::store::Version position() const { return cursor_ ? cursor_->position() : 0; }
  size_t size() const { return known_.size(); }

 private:
  void List(const Handler& handle);
  void Put(apiserver::store::ObjectPtr object, const Handler& handle);
  void Remove(apiserver::store::ObjectPtr object, const Handler& handle);

  apiserver::store::Store& store_;
  api::scheme::KindPtr kind_;
  std::function<void()> wake_;
  std::unique_ptr<apiserver::store::Store::Cursor> cursor_;  // Null before the first list.
  std::unordered_map<ObjectName, apiserver::store::ObjectPtr, NameHash> known_;
  std::vector<apiserver::store::Event> events_;
};

}  // namespace berth::localcluster
