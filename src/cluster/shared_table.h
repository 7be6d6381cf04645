// SharedTable keeps one copy of each distinct value and counts who uses it.
//
// A value's id stays the same while anyone holds it and is given to another value after the last
// one has let go. Acquire and Release are one hash look-up each.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"

namespace berth {

template <typename Value, typename IdType, typename Hash>
class SharedTable {
 public:
  // Returns the id of `value`, adding it if it is new, and counts one more holder.
  IdType Acquire(Value value) {
    auto found = ids_.find(value);
    if (found == ids_.end()) {
      const IdType id = NextId();
      found = ids_.emplace(std::move(value), id).first;
      slots_[id.index()] = {&found->first, 0, ++serials_};
    }
    ++slots_[found->second.index()].holders;
    return found->second;
  }

  void Retain(IdType id) { ++slots_[id.index()].holders; }
  // Counts one holder less; the last one removes the value.
  void Release(IdType id) {
    Slot& slot = slots_[id.index()];
    CHECK(slot.holders > 0);
    if (--slot.holders > 0) return;
    ids_.erase(ids_.find(*slot.value));
    slot.value = nullptr;
    free_.push_back(id);
  }

  const Value& Get(IdType id) const { return *slots_[id.index()].value; }
  // Tells values apart that held the same id one after the other.
  uint64_t serial(IdType id) const { return slots_[id.index()].serial; }
  uint32_t holders(IdType id) const { return slots_[id.index()].holders; }
  size_t size() const { return ids_.size(); }

 private:
  struct Slot {
    const Value* value = nullptr;  // Points into ids_, whose nodes do not move.
    uint32_t holders = 0;
    uint64_t serial = 0;
  };

  IdType NextId() {
    if (!free_.empty()) {
      const IdType id = free_.back();
      free_.pop_back();
      return id;
    }
    slots_.emplace_back();
    return IdType{static_cast<uint32_t>(slots_.size() - 1)};
  }

  std::unordered_map<Value, IdType, Hash> ids_;
  std::vector<Slot> slots_;
  std::vector<IdType> free_;
  uint64_t serials_ = 0;
};

}  // namespace berth
