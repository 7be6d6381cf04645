#include "scheduler/devices/allocated_devices.h"

#include <utility>

namespace berth::scheduler::devices {

void AllocatedDevices::Count(const api::AllocationResult& allocation, bool add) {
  for (const auto& result : allocation.results) Count(result, add);
}

void AllocatedDevices::Count(const api::DeviceRequestAllocationResult& result, bool add) {
  if (result.admin_access.value_or(false)) return;
  const std::string key = DeviceKey(result.driver, result.pool, result.device);
  DeviceId id = names_.devices.Find(key);
  auto found = id.valid() ? uses_.find(id) : uses_.end();
  if (found == uses_.end()) {
    if (!add) return;
    Use use(names_);
    id = use.device.Intern(key);
    use.pool.Intern(PoolKey(result.driver, result.pool));
    found = uses_.emplace(id, std::move(use)).first;
  }
  Use& use = found->second;
  const bool shared = shares_ && result.share_id.has_value();
  if (shared) {
    CountShare(use, result, add);
  } else if (add) {
    ++use.exclusive;
  } else if (use.exclusive > 0) {
    --use.exclusive;
  }
  Update(id, use, shared);
  if (flags_[id.index()] == 0) uses_.erase(found);
}

void AllocatedDevices::CountShare(Use& use, const api::DeviceRequestAllocationResult& result,
                                  bool add) {
  if (!add && use.shares == 0) return;
  use.shares += add ? 1 : -1;
  if (result.consumed_capacity.empty()) return;
  use.consumers += add ? 1 : -1;
  if (use.consumers == 0) {
    use.consumed = nullptr;
    return;
  }
  if (use.consumed == nullptr) use.consumed = std::make_unique<api::QuantityMap>();
  for (const auto& [name, amount] : result.consumed_capacity) {
    if (add) {
      (*use.consumed)[name] += amount;
    } else {
      (*use.consumed)[name] -= amount;
    }
  }
}

void AllocatedDevices::Update(DeviceId id, const Use& use, bool shares_changed) {
  if (id.index() >= flags_.size()) {
    flags_.resize(names_.devices.capacity());
    if (shares_) consumed_.resize(flags_.size());
  }
  uint8_t flags = use.exclusive > 0 ? kExclusive : 0;
  if (use.shares > 0) flags |= kShared;
  if (use.consumers > 0) flags |= kCapacity;
  // An allocation that is written and assumed while it is in flight changes nothing.
  if (flags_[id.index()] == flags && !shares_changed) return;
  flags_[id.index()] = flags;
  if (shares_) consumed_[id.index()] = use.consumed.get();
  const PoolId pool = use.pool.held()[0];
  if (pool.index() >= revisions_.size()) revisions_.resize(names_.pools.capacity());
  revisions_[pool.index()] = ++revision_;
  changed_.push_back({pool, id});
}

void AllocatedDevices::AddConsumed(DeviceId id, std::string_view capacity,
                                   api::Quantity& sum) const {
  if (!HasCapacityEntry(id)) return;
  const api::QuantityMap& consumed = *consumed_[id.index()];
  if (const auto found = consumed.find(capacity); found != consumed.end()) sum += found->second;
}

uint64_t AllocatedDevices::revision(PoolId pool) const {
  return pool.index() < revisions_.size() ? revisions_[pool.index()] : 0;
}

}  // namespace berth::scheduler::devices
