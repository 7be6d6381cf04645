// ObjectTable holds the objects of a collection by name, and gives snapshots that cost little.
//
// The objects sit in blocks. A snapshot shares the blocks of its range, which are never changed
// from then on: whoever writes to one makes a copy first. So a list of a hundred thousand objects
// holds the store's lock for some microseconds, and is read without it.
//
// Not thread-safe; snapshots are immutable. Finding is O(log n); Insert and Erase move up to a
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
  // Where an object is, or would be. True until the next change.
  struct Place {
    size_t block = 0;
    size_t index = 0;
    bool found = false;
  };

  // The objects of a range as they were when it was taken, by name.
  class Snapshot {
   public:
    // The next object, or null at the end.
    const ObjectPtr* Next();
    // How many Next has not given yet, whether or not it will.
    size_t remaining() const { return remaining_; }

   private:
    friend class ObjectTable;
    std::vector<std::shared_ptr<const Block>> blocks_;
    size_t block_ = 0;
    size_t index_ = 0;
    size_t shared_ = 0;     // How many Next can still give.
    size_t remaining_ = 0;  // As many, and those beyond `at_most`.
  };

  size_t size() const { return size_; }
  Place Locate(const ObjectName& name) const;
  const ObjectPtr& At(const Place& place) const;

  // The place must be where `object` belongs; Insert where there is none, Set where there is one.
  void Insert(const Place& place, ObjectPtr object);
  void Set(const Place& place, ObjectPtr object);
  void Erase(const Place& place);
  // Insert or Set.
  void Put(ObjectPtr object);

  // Names in `namespace_` (nothing: in all of them) that are greater than `after`. If `at_most` is
  // not 0, the snapshot gives about that many, at least, and counts the others.
  Snapshot Range(const std::optional<std::string>& namespace_,
                 const std::optional<ObjectName>& after, size_t at_most);

 private:
  Place LowerBound(const ObjectName& name) const;
  Block& Writable(size_t block);

  std::vector<std::shared_ptr<Block>> blocks_;  // None is empty.
  size_t size_ = 0;
};

}  // namespace berth::apiserver::store
