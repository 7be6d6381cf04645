#include "cluster/pod_classes.h"

#include "base/check.h"

namespace berth {

PodClassId PodClasses::Acquire(std::shared_ptr<const api::Pod> pod, bool with_node_name) {
  auto [found, added] = ids_.try_emplace(PodClassKey(*pod, with_node_name));
  if (added) {
    PodClassId id;
    if (free_.empty()) {
      id = PodClassId{static_cast<uint32_t>(slots_.size())};
      slots_.emplace_back();
    } else {
      id = free_.back();
      free_.pop_back();
    }
    auto compiled = std::make_unique<PodClass>(
        CompilePodClass(std::move(pod), with_node_name, symbols_, scalars_));
    compiled->id = id;
    slots_[id.index()] = {std::move(compiled), &found->first, 0, next_serial_++, 0};
    found->second = id;
  }
  ++slots_[found->second.index()].members;
  return found->second;
}

void PodClasses::Release(PodClassId id) {
  Slot& slot = slots_[id.index()];
  CHECK(slot.members > 0);
  if (--slot.members > 0) return;
  slot.emptied = next_serial_++;
  empty_.emplace_back(id, slot.emptied);
  if (empty_.size() > kKeptWithoutMembers) DropOldestEmpty();
}

void PodClasses::DropOldestEmpty() {
  const auto [id, emptied] = empty_.front();
  empty_.pop_front();
  Slot& slot = slots_[id.index()];
  if (slot.compiled == nullptr || slot.members > 0 || slot.emptied != emptied) return;
  ids_.erase(ids_.find(*slot.key));
  slot = {};
  free_.push_back(id);
}

}  // namespace berth
