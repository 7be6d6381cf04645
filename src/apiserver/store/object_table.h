// ObjectTable holds the objects of a collection by name and provides cheap snapshots.
//
// The objects are stored in blocks. A snapshot shares the blocks of its range, which become
// immutable: a write copies such a block first. So a list of a hundred thousand objects holds the
// store's lock for some microseconds and is read without it.
//
// Not thread-safe; snapshots are immutable. A lookup is O(log n); Insert and Erase move up to a
// block of pointers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/store/stored_object.h"

namespace berth::apiserver::store {

class ObjectTable {
  struct Block;

 public:
  // The position where an object is or would be. Valid until the next change.
  struct Place {
    size_t block = 0;
    size_t index = 0;
    bool found = false;
  };

  // The objects of a range at the time of the snapshot, by name.
  class Snapshot {
   public:
    // Returns the next object, or null at the end.
    const ObjectPtr* Next();
    // Returns the number of objects not yet returned, including those beyond `at_most`.
    size_t remaining() const { return remaining_; }

   private:
    friend class ObjectTable;
    std::vector<std::shared_ptr<const Block>> blocks_;
    size_t block_ = 0;
    size_t index_ = 0;
    size_t shared_ = 0;     // The number of objects that Next will return.
    size_t remaining_ = 0;  // The same plus those beyond `at_most`.
  };

  size_t size() const { return size_; }
  Place Locate(const ObjectName& name) const;
  const ObjectPtr& At(const Place& place) const;

  // `place` must be Locate(object->key): not found for Insert, found for Set.
  void Insert(const Place& place, ObjectPtr object);
  void Set(const Place& place, ObjectPtr object);
  void Erase(const Place& place);
  // Inserts or sets.
  void Put(ObjectPtr object);

  // Returns the objects in `namespace_` (nullopt: all) whose name is greater than `after`. If
  // `at_most` is not 0, the snapshot has at least that many, if they exist, and counts the others.
  Snapshot Range(const std::optional<std::string>& namespace_,
                 const std::optional<ObjectName>& after, size_t at_most);

 private:
  Place LowerBound(const ObjectName& name) const;
  Block& Writable(size_t block);

  std::vector<std::shared_ptr<Block>> blocks_;  // No block is empty.
  size_t size_ = 0;
};

}  // namespace berth::apiserver::store
