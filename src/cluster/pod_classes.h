// PodClasses finds or makes the class of a pod and counts its members.
//
// A class without members is kept for a while, since the next replica is often not far; the classes
// that have been empty longest go first.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/pod_class.h"

namespace berth {

class PodClasses {
 public:
  PodClasses(SymbolTable& symbols, ScalarNames& scalars) : symbols_(symbols), scalars_(scalars) {}

  // Returns the class of `pod` and counts one more member. `with_node_name`: see PodClassKey.
  PodClassId Acquire(std::shared_ptr<const api::Pod> pod, bool with_node_name);
  void Retain(PodClassId id) { ++slots_[id.index()].members; }
  void Release(PodClassId id);

  const PodClass& Get(PodClassId id) const { return *slots_[id.index()].compiled; }
  // Tells classes apart that held the same id one after the other.
  uint64_t serial(PodClassId id) const { return slots_[id.index()].serial; }
  // An upper bound of all ids.
  size_t capacity() const { return slots_.size(); }

 private:
  static constexpr size_t kKeptWithoutMembers = 1024;

  struct Slot {
    std::unique_ptr<const PodClass> compiled;
    const std::string* key = nullptr;  // Points into ids_.
    uint32_t members = 0;
    uint64_t serial = 0;
    uint64_t emptied = 0;  // When it last fell empty; matches its entry in empty_.
  };

  void DropOldestEmpty();

  SymbolTable& symbols_;
  ScalarNames& scalars_;
  std::unordered_map<std::string, PodClassId> ids_;
  std::vector<Slot> slots_;
  std::vector<PodClassId> free_;
  std::deque<std::pair<PodClassId, uint64_t>>
      empty_;  // With Slot::emptied, to skip classes refilled since.
  uint64_t next_serial_ = 1;
};

}  // namespace berth
