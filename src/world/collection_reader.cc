#include "world/collection_reader.h"

#include <utility>

namespace berth::world {

CollectionReader::CollectionReader(store::Store& store, const Kind& kind,
                                   std::function<void()> wake)
    : store_(store), kind_(kind), wake_(std::move(wake)) {}

bool CollectionReader::Read(size_t limit, const Tell& tell) {
  events_.clear();
  if (!cursor_ || !cursor_->Read(limit, events_)) {
    List(tell);
    return true;
  }
  for (store::Event& event : events_) {
    if (event.type == store::EventType::kDeleted) {
      Remove(std::move(event.object), tell);
    } else {
      Put(std::move(event.object), tell);
    }
  }
  return !events_.empty();
}

void CollectionReader::List(const Tell& tell) {
  store::ListResult list = store_.List(kind_.collection, {});
  cursor_ = store_.Watch(kind_.collection, list.version, wake_);
  // Both the list and what it is compared with are told in the order of names.
  std::vector<store::ObjectPtr> gone;
  std::unordered_map<ObjectName, bool, NameHash> present;
  for (const store::ObjectPtr& object : list.objects) present[object->key] = true;
  for (const auto& [name, object] : known_) {
    if (!present.contains(name)) gone.push_back(object);
  }
  std::ranges::sort(gone, {}, [](const store::ObjectPtr& object) { return object->key; });
  for (store::ObjectPtr& object : gone) Remove(std::move(object), tell);
  for (store::ObjectPtr& object : list.objects) Put(std::move(object), tell);
}

void CollectionReader::Put(store::ObjectPtr object, const Tell& tell) {
  store::ObjectPtr& known = known_[object->key];
  if (known && known->uid != object->uid) {
    // Another of the same name: the first has gone unseen.
    tell(kind_, true, known, known);
    known = nullptr;
  }
  const store::ObjectPtr previous = std::exchange(known, object);
  tell(kind_, false, std::move(object), previous);
}

void CollectionReader::Remove(store::ObjectPtr object, const Tell& tell) {
  const auto found = known_.find(object->key);
  if (found == known_.end()) return;
  const store::ObjectPtr previous = std::move(found->second);
  known_.erase(found);
  tell(kind_, true, std::move(object), previous);
}

}  // namespace berth::world
