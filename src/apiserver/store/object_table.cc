#include "apiserver/store/object_table.h"

#include <algorithm>
#include <utility>

namespace berth::apiserver::store {
namespace {

// Large enough that there are few blocks, small enough that copying one costs microseconds.
constexpr size_t kBlockSize = 128;

}  // namespace

struct ObjectTable::Block {
  std::vector<ObjectPtr> objects;
  bool shared = false;  // A snapshot uses it: it must not change.
};

const ObjectPtr* ObjectTable::Snapshot::Next() {
  if (shared_ == 0) return nullptr;
  const auto& objects = blocks_[block_]->objects;
  const ObjectPtr* next = &objects[index_];
  if (++index_ == objects.size()) {
    ++block_;
    index_ = 0;
  }
  --shared_;
  --remaining_;
  return next;
}

ObjectTable::Place ObjectTable::LowerBound(const ObjectName& name) const {
  // The last block that starts at or before `name` is the one that would hold it.
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), name,
                                      [](const ObjectName& wanted, const auto& block) {
                                        return wanted < block->objects.front()->key;
                                      });
  if (after == blocks_.begin()) return {};
  const auto& objects = (*(after - 1))->objects;
  const auto at = std::lower_bound(
      objects.begin(), objects.end(), name,
      [](const ObjectPtr& object, const ObjectName& wanted) { return object->key < wanted; });
  return {.block = static_cast<size_t>(after - 1 - blocks_.begin()),
          .index = static_cast<size_t>(at - objects.begin())};
}

ObjectTable::Place ObjectTable::Locate(const ObjectName& name) const {
  Place place = LowerBound(name);
  if (place.block < blocks_.size()) {
    const auto& objects = blocks_[place.block]->objects;
    place.found = place.index < objects.size() && objects[place.index]->key == name;
  }
  return place;
}

const ObjectPtr& ObjectTable::At(const Place& place) const {
  return blocks_[place.block]->objects[place.index];
}

ObjectTable::Block& ObjectTable::Writable(size_t block) {
  std::shared_ptr<Block>& current = blocks_[block];
  if (current->shared) current = std::make_shared<Block>(Block{.objects = current->objects});
  return *current;
}

void ObjectTable::Insert(const Place& place, ObjectPtr object) {
  ++size_;
  if (blocks_.empty()) blocks_.push_back(std::make_shared<Block>());
  auto& objects = Writable(place.block).objects;
  objects.insert(objects.begin() + static_cast<ptrdiff_t>(place.index), std::move(object));
  if (objects.size() <= kBlockSize) return;

  // Names in increasing order fill blocks completely; others split them in halves.
  const bool at_end = place.block + 1 == blocks_.size() && place.index + 1 == objects.size();
  const auto middle =
      objects.begin() + static_cast<ptrdiff_t>(at_end ? kBlockSize : kBlockSize / 2);
  auto upper = std::make_shared<Block>();
  upper->objects.assign(std::make_move_iterator(middle), std::make_move_iterator(objects.end()));
  objects.erase(middle, objects.end());
  blocks_.insert(blocks_.begin() + static_cast<ptrdiff_t>(place.block) + 1, std::move(upper));
}

void ObjectTable::Set(const Place& place, ObjectPtr object) {
  Writable(place.block).objects[place.index] = std::move(object);
}

void ObjectTable::Erase(const Place& place) {
  --size_;
  if (blocks_[place.block]->objects.size() == 1) {
    blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(place.block));
    return;
  }
  auto& objects = Writable(place.block).objects;
  objects.erase(objects.begin() + static_cast<ptrdiff_t>(place.index));
}

void ObjectTable::Put(ObjectPtr object) {
  const Place place = Locate(object->key);
  place.found ? Set(place, std::move(object)) : Insert(place, std::move(object));
}

ObjectTable::Snapshot ObjectTable::Range(const std::optional<std::string>& namespace_,
                                         const std::optional<ObjectName>& after, size_t at_most) {
  Place begin;
  if (namespace_) begin = LowerBound({*namespace_, ""});
  if (after && (!namespace_ || after->namespace_ >= *namespace_)) {
    begin = Locate(*after);
    if (begin.found) ++begin.index;
  }
  Place end{.block = blocks_.size()};
  // The smallest string greater than the namespace.
  if (namespace_) end = LowerBound({*namespace_ + '\0', ""});

  Snapshot snapshot;
  snapshot.index_ = begin.index;
  for (size_t i = begin.block; i < blocks_.size() && i <= end.block; ++i) {
    Block& block = *blocks_[i];
    const size_t from = i == begin.block ? begin.index : 0;
    const size_t to = i == end.block ? end.index : block.objects.size();
    if (from >= to) {
      if (i == begin.block) {  // The block ends just before the range.
        snapshot.index_ = 0;
      }
      continue;
    }
    snapshot.remaining_ += to - from;
    if (at_most != 0 && snapshot.shared_ >= at_most) continue;
    block.shared = true;
    snapshot.shared_ += to - from;
    snapshot.blocks_.push_back(blocks_[i]);
  }
  return snapshot;
}

}  // namespace berth::apiserver::store
