// Lists and maps of values.
//
// Both grow by appending: a list is the first `size` items of a ListData, and appending to a list
// that has all of its items writes behind them, where nobody looks who has the shorter list. A loop
// that appends one item at a time thus costs as much as the list that it makes. What belongs to a
// program or an input is shared by threads and never grows in place: it has no spare capacity.
#pragma once

#include <cstdint>
#include <span>

#include "cel/arena.h"
#include "cel/value.h"

namespace berth::cel {

struct ListIdentity;

struct ListData {
  Value* items = nullptr;
  uint32_t used = 0;
  uint32_t capacity = 0;
  // What identifies an item of a list that is a set or a map (identified_lists.h), or null.
  const ListIdentity* identity = nullptr;
};

struct MapEntry {
  Value key;
  Value value;
};

struct MapData {
  MapEntry* entries = nullptr;  // In the order of insertion.
  uint32_t used = 0;
  uint32_t capacity = 0;
  // A hash table of indexes into `entries`; small maps have none.
  uint32_t* buckets = nullptr;
  uint32_t bucket_count = 0;
  // What a look-up returns for a key that is absent, if not null. Such a map does not contain the
  // key, though.
  const Value* missing = nullptr;
};

Value MakeList(Arena& arena, std::span<const Value> items);
// Returns a list of `size` items that the caller sets through `items`.
Value MakeList(Arena& arena, uint32_t size, Value*& items);
Value Concatenate(Arena& arena, const Value& a, const Value& b);

// Only these kinds of values are keys: null, bool, numbers, strings, durations and types.
bool IsMapKey(const Value& key);

// Returns the value for a key of the map, nullptr if it is absent. Numbers of different types are
// the same key if they are equal.
const Value* FindEntry(const Value& map, const Value& key);
// Like FindEntry, except that some maps have a value for every key: MapData::missing.
const Value* LookUp(const Value& map, const Value& key);
std::span<const MapEntry> Entries(const Value& map);

Value EmptyMap();
// Returns a map with one more entry. The key must be a map key that is absent.
Value InsertEntry(Arena& arena, const Value& map, const Value& key, const Value& value);

// MapBuilder makes a map whose entries may be replaced and removed while it is built.
class MapBuilder {
 public:
  MapBuilder(Arena& arena, uint32_t capacity);

  // Replaces an entry with the same key of the same type. The key must be a map key.
  void Set(const Value& key, const Value& value);
  void Remove(const Value& key);
  // May be called once.
  Value Build(const Value* missing = nullptr);

 private:
  MapEntry* FindExact(const Value& key);

  Arena& arena_;
  MapData* map_;
};

}  // namespace berth::cel
