#include "cel/containers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "cel/numbers.h"

namespace berth::cel {
namespace {

// Up to here, comparing all keys is as fast as hashing one.
constexpr uint32_t kLargestWithoutBuckets = 8;
constexpr uint32_t kEmptyBucket = UINT32_MAX;
constexpr uint32_t kSmallestCapacity = 4;

constexpr ListData kNoItems;
constexpr MapData kNoEntries;

bool SameKey(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kString:
      return a.text() == b.text();
    case Kind::kDouble:
      return a.floating() == b.floating();
    case Kind::kBool:
      return a.boolean() == b.boolean();
    case Kind::kNull:
      return true;
    case Kind::kType:
      return a.type_value().name == b.type_value().name;
    default:
      return a.integer() == b.integer();
  }
}

// Equal numbers of different types have the same hash.
uint32_t HashKey(const Value& key) {
  uint64_t bits = 0;
  switch (key.kind()) {
    case Kind::kString:
      bits = std::hash<std::string_view>()(key.text());
      break;
    case Kind::kType:
      bits = std::hash<std::string_view>()(key.type_value().name);
      break;
    case Kind::kBool:
      bits = key.boolean() ? 1 : 0;
      break;
    case Kind::kNull:
      break;
    case Kind::kDouble:
      if (const auto integer = ExactInt(key.floating())) {
        bits = static_cast<uint64_t>(*integer);
      } else if (const auto natural = ExactUint(key.floating())) {
        bits = *natural;
      } else {
        bits = std::bit_cast<uint64_t>(key.floating());
      }
      break;
    default:
      bits = static_cast<uint64_t>(key.integer());
  }
  bits *= 0x9E3779B97F4A7C15;
  return static_cast<uint32_t>(bits >> 32);
}

bool EqualKeys(const Value& a, const Value& b) {
  if (SameKey(a, b)) return true;
  return a.is_number() && b.is_number() &&
         CompareNumbers(a, b) == std::partial_ordering::equivalent;
}

void AddToBuckets(MapData& map, uint32_t index) {
  const uint32_t mask = map.bucket_count - 1;
  uint32_t bucket = HashKey(map.entries[index].key) & mask;
  while (map.buckets[bucket] != kEmptyBucket) bucket = (bucket + 1) & mask;
  map.buckets[bucket] = index;
}

void BuildBuckets(Arena& arena, MapData& map) {
  if (map.capacity <= kLargestWithoutBuckets) return;
  map.bucket_count = std::bit_ceil(map.capacity) * 2;
  map.buckets = arena.NewArray<uint32_t>(map.bucket_count);
  std::fill_n(map.buckets, map.bucket_count, kEmptyBucket);
  for (uint32_t i = 0; i < map.used; ++i) AddToBuckets(map, i);
}

// Returns the first of the first `size` entries whose key satisfies `matches`; a key that equals
// `key` must hash like it.
template <typename Matches>
MapEntry* FindIn(const MapData& map, uint32_t size, const Value& key, const Matches& matches) {
  if (map.buckets == nullptr) {
    for (uint32_t i = 0; i < size; ++i) {
      if (matches(map.entries[i].key, key)) return &map.entries[i];
    }
    return nullptr;
  }
  const uint32_t mask = map.bucket_count - 1;
  for (uint32_t bucket = HashKey(key) & mask;; bucket = (bucket + 1) & mask) {
    const uint32_t index = map.buckets[bucket];
    if (index == kEmptyBucket) return nullptr;
    if (index < size && matches(map.entries[index].key, key)) return &map.entries[index];
  }
}

MapData* AllocateMap(Arena& arena, uint32_t capacity) {
  auto* map = arena.New<MapData>();
  map->capacity = capacity;
  map->entries = arena.NewArray<MapEntry>(capacity);
  return map;
}

}  // namespace

Value MakeList(Arena& arena, std::span<const Value> items) {
  if (items.empty()) return Value::List(&kNoItems, 0);
  Value* copy = nullptr;
  const Value list = MakeList(arena, static_cast<uint32_t>(items.size()), copy);
  std::ranges::copy(items, copy);
  return list;
}

Value MakeList(Arena& arena, uint32_t size, Value*& items) {
  items = arena.NewArray<Value>(size);
  return Value::List(arena.New<ListData>(ListData{items, size, size}), size);
}

Value Concatenate(Arena& arena, const Value& a, const Value& b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  const uint32_t size = a.size() + b.size();
  auto* list = const_cast<ListData*>(a.list());
  if (list->used != a.size() || list->capacity < size) {
    list = arena.New<ListData>();
    list->capacity = std::max(kSmallestCapacity, size + size / 2);
    list->items = arena.NewArray<Value>(list->capacity);
    std::ranges::copy(a.items(), list->items);
  }
  std::ranges::copy(b.items(), list->items + a.size());
  list->used = size;
  return Value::List(list, size, true);
}

bool IsMapKey(const Value& key) {
  switch (key.kind()) {
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
    case Kind::kDuration:
    case Kind::kType:
      return true;
    default:
      return false;
  }
}

const Value* FindEntry(const Value& map, const Value& key) {
  if (!IsMapKey(key)) return nullptr;
  const MapEntry* found = FindIn(*map.map(), map.size(), key, SameKey);
  if (found == nullptr && key.is_number()) {
    found = FindIn(*map.map(), map.size(), key, EqualKeys);
  }
  return found == nullptr ? nullptr : &found->value;
}

const Value* LookUp(const Value& map, const Value& key) {
  const Value* found = FindEntry(map, key);
  return found != nullptr ? found : map.map()->missing;
}

std::span<const MapEntry> Entries(const Value& map) { return {map.map()->entries, map.size()}; }

Value EmptyMap() { return Value::Map(&kNoEntries, 0); }

Value InsertEntry(Arena& arena, const Value& map, const Value& key, const Value& value) {
  const uint32_t size = map.size() + 1;
  auto* data = const_cast<MapData*>(map.map());
  if (data->used != map.size() || data->capacity < size) {
    data = AllocateMap(arena, std::max(kSmallestCapacity, size + size / 2));
    std::ranges::copy(Entries(map), data->entries);
    data->used = map.size();
    BuildBuckets(arena, *data);
  }
  data->entries[map.size()] = {key, value};
  data->used = size;
  if (data->buckets != nullptr) AddToBuckets(*data, map.size());
  return Value::Map(data, size);
}

MapBuilder::MapBuilder(Arena& arena, uint32_t capacity)
    : arena_(arena), map_(AllocateMap(arena, capacity)) {
  BuildBuckets(arena, *map_);
}

MapEntry* MapBuilder::FindExact(const Value& key) {
  return FindIn(*map_, map_->used, key, SameKey);
}

void MapBuilder::Set(const Value& key, const Value& value) {
  if (MapEntry* entry = FindExact(key)) {
    entry->value = value;
    return;
  }
  map_->entries[map_->used] = {key, value};
  if (map_->buckets != nullptr) AddToBuckets(*map_, map_->used);
  ++map_->used;
}

void MapBuilder::Remove(const Value& key) {
  MapEntry* entry = FindExact(key);
  if (entry == nullptr) return;
  std::copy(entry + 1, map_->entries + map_->used, entry);
  --map_->used;
  BuildBuckets(arena_, *map_);
}

Value MapBuilder::Build(const Value* missing) {
  // Shared maps do not grow in place.
  map_->capacity = map_->used;
  map_->missing = missing;
  return Value::Map(map_, map_->used);
}

}  // namespace berth::cel
