#include "scheduler/devices/allocated_devices.h"

#include <algorithm>

namespace berth::scheduler::devices {
namespace {

void AddTo(api::QuantityMap& sums, const api::QuantityMap& amounts) {
  for (const auto& [name, amount] : amounts) sums[name] += amount;
}

void SubtractFrom(api::QuantityMap& sums, const api::QuantityMap& amounts) {
  for (const auto& [name, amount] : amounts) sums[name] -= amount;
}

bool AllZero(const api::QuantityMap& sums) {
  return std::ranges::all_of(sums, [](const auto& sum) { return sum.second.IsZero(); });
}

}  // namespace

AllocatedDevices::Use::Use(DeviceNames& names, const api::DeviceRequestAllocationResult& result)
    : device(names.devices), pool(names.pools) {
  device.Intern(DeviceKey(result.driver, result.pool, result.device));
  pool.Intern(PoolKey(result.driver, result.pool));
}

void AllocatedDevices::Add(const api::AllocationResult& allocation, Source source) {
  for (const auto& result : allocation.results) Change(result, source, /*add=*/true);
}

void AllocatedDevices::Remove(const api::AllocationResult& allocation, Source source) {
  for (const auto& result : allocation.results) Change(result, source, /*add=*/false);
}

void AllocatedDevices::Change(const api::DeviceRequestAllocationResult& result, Source source,
                              bool add) {
  if (result.admin_access.value_or(false)) return;
  const std::string key = DeviceKey(result.driver, result.pool, result.device);
  DeviceId id = names_.devices.Find(key);
  auto found = id.valid() ? uses_.find(id) : uses_.end();
  if (found == uses_.end()) {
    if (!add) return;
    Use use(names_, result);
    id = use.device.held()[0];
    found = uses_.emplace(id, std::move(use)).first;
  }
  Use& use = found->second;
  const bool shared = shares_ && result.share_id.has_value();
  if (shared) {
    if (use.shares == nullptr) use.shares = std::make_unique<Shares>();
    ChangeShare(*use.shares, result, source, add);
  } else if (source == Source::kClaim) {
    use.of_claim = add;
  } else if (add) {
    ++use.in_flight;
  } else if (use.in_flight > 0) {
    --use.in_flight;
  }
  Update(id, use, shared);
  if (flags_[id.index()] == 0) uses_.erase(found);
}

void AllocatedDevices::ChangeShare(Shares& shares, const api::DeviceRequestAllocationResult& result,
                                   Source source, bool add) {
  const bool consumes = !result.consumed_capacity.empty();
  if (source == Source::kClaim) {
    if (add) {
      shares.of_claims.insert(*result.share_id);
      if (consumes) AddTo(shares.of_claims_consumed, result.consumed_capacity);
      shares.has_capacity_of_claims |= consumes;
    } else {
      shares.of_claims.erase(*result.share_id);
      if (consumes) SubtractFrom(shares.of_claims_consumed, result.consumed_capacity);
      if (AllZero(shares.of_claims_consumed)) {
        shares.of_claims_consumed.clear();
        shares.has_capacity_of_claims = false;
      }
    }
    return;
  }
  if (add) {
    shares.in_flight.insert(*result.share_id);
    if (consumes) AddTo(shares.in_flight_consumed, result.consumed_capacity);
    shares.capacities_in_flight += consumes;
  } else if (const auto share = shares.in_flight.find(*result.share_id);
             share != shares.in_flight.end()) {
    shares.in_flight.erase(share);
    if (consumes) SubtractFrom(shares.in_flight_consumed, result.consumed_capacity);
    shares.capacities_in_flight -= consumes;
    if (shares.capacities_in_flight == 0) shares.in_flight_consumed.clear();
  }
}

void AllocatedDevices::Update(DeviceId id, const Use& use, bool shares_changed) {
  if (id.index() >= flags_.size()) flags_.resize(names_.devices.capacity());
  uint8_t flags = use.of_claim || use.in_flight > 0 ? kExclusive : 0;
  if (const Shares* shares = use.shares.get()) {
    if (!shares->of_claims.empty() || !shares->in_flight.empty()) flags |= kShared;
    if (shares->has_capacity_of_claims || shares->capacities_in_flight > 0) flags |= kCapacity;
  }
  // An allocation that is written and assumed while it is in flight changes nothing.
  if (flags_[id.index()] == flags && !shares_changed) return;
  flags_[id.index()] = flags;
  const PoolId pool = use.pool.held()[0];
  if (pool.index() >= revisions_.size()) revisions_.resize(names_.pools.capacity());
  revisions_[pool.index()] = ++revision_;
  changed_.push_back(pool);
}

api::QuantityMap AllocatedDevices::Consumed(DeviceId id) const {
  const auto found = uses_.find(id);
  if (found == uses_.end() || found->second.shares == nullptr) return {};
  api::QuantityMap sums = found->second.shares->of_claims_consumed;
  AddTo(sums, found->second.shares->in_flight_consumed);
  return sums;
}

void AllocatedDevices::AddConsumed(DeviceId id, std::string_view capacity,
                                   api::Quantity& sum) const {
  if (!HasCapacityEntry(id)) return;
  const Shares& shares = *uses_.at(id).shares;
  for (const api::QuantityMap* sums : {&shares.of_claims_consumed, &shares.in_flight_consumed}) {
    if (const auto found = sums->find(capacity); found != sums->end()) sum += found->second;
  }
}

uint64_t AllocatedDevices::revision(PoolId pool) const {
  return pool.index() < revisions_.size() ? revisions_[pool.index()] : 0;
}

}  // namespace berth::scheduler::devices
