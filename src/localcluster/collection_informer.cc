#include "localcluster/collection_informer.h"

#include <utility>

namespace berth::localcluster {

CollectionInformer::CollectionInformer(apiserver::store::Store& store, api::scheme::KindPtr kind,
                                       std::function<void()> wake)
    : store_(store), kind_(std::move(kind)), wake_(std::move(wake)) {}

bool CollectionInformer::Read(size_t limit, const Handler& handle) {
  events_.clear();
  if (!cursor_ || !cursor_->Read(limit, events_)) {
    List(handle);
    return true;
  }
  for (apiserver::store::Event& event : events_) {
    if (event.type == apiserver::store::EventType::kDeleted) {
      Remove(std::move(event.object), handle);
    } else {
      Put(std::move(event.object), handle);
    }
  }
  return !events_.empty();
}

void CollectionInformer::List(const Handler& handle) {
  apiserver::store::ListResult list = store_.List(kind_->collection, {});
  cursor_ = store_.Watch(kind_->collection, list.version, wake_);
  // Deletions and the list are handled in name order, so that runs repeat.
  std::vector<apiserver::store::ObjectPtr> deleted;
  std::unordered_map<ObjectName, bool, NameHash> present;
  for (const apiserver::store::ObjectPtr& object : list.objects) present[object->key] = true;
  for (const auto& [name, object] : known_) {
    if (!present.contains(name)) deleted.push_back(object);
  }
  std::ranges::sort(deleted, {},
                    [](const apiserver::store::ObjectPtr& object) { return object->key; });
  for (apiserver::store::ObjectPtr& object : deleted) Remove(std::move(object), handle);
  for (apiserver::store::ObjectPtr& object : list.objects) Put(std::move(object), handle);
}

void CollectionInformer::Put(apiserver::store::ObjectPtr object, const Handler& handle) {
  apiserver::store::ObjectPtr& known = known_[object->key];
  if (known && known->uid != object->uid) {
    // The previous object of this name was deleted between two reads.
    handle(kind_, true, known, known);
    known = nullptr;
  }
  const apiserver::store::ObjectPtr previous = std::exchange(known, object);
  handle(kind_, false, std::move(object), previous);
}

void CollectionInformer::Remove(apiserver::store::ObjectPtr object, const Handler& handle) {
  const auto found = known_.find(object->key);
  if (found == known_.end()) return;
  const apiserver::store::ObjectPtr previous = std::move(found->second);
  known_.erase(found);
  handle(kind_, true, std::move(object), previous);
}

}  // namespace berth::localcluster
