#include "scheduler/devices/shares.h"

#include <algorithm>
#include <utility>

#include "scheduler/devices/capacity.h"

namespace berth::scheduler::devices {

uint32_t Shares::Register(const Requested& requested) {
  const auto found =
      std::ranges::find_if(requested_, [&](const Requested* known) { return *known == requested; });
  if (found == requested_.end()) {
    requested_.push_back(&requested);
    return static_cast<uint32_t>(requested_.size() - 1);
  }
  return static_cast<uint32_t>(found - requested_.begin());
}

Shares::Share& Shares::ShareOf(uint32_t candidate, const Device& device) {
  const auto [place, is_new] = shares_.try_emplace(candidate);
  Share& share = place->second;
  if (!is_new) return share;
  share.amounts.resize(requested_.size());
  for (const auto& [name, capacity] : device.object->capacity) {
    api::Quantity& sum = share.sums.emplace_back();
    allocated_.AddConsumed(device.id, name, sum);
    share.values.push_back(&capacity.value);
    share.left.push_back(capacity.value.AsApproximateFloat64() - sum.AsApproximateFloat64());
  }
  return share;
}

const std::vector<api::Quantity>& Shares::AmountsOf(Share& share, const Device& device,
                                                    uint32_t number) {
  std::vector<api::Quantity>& amounts = share.amounts[number];
  if (amounts.empty()) {
    for (const auto& [name, capacity] : device.object->capacity) {
      amounts.push_back(ConsumedCapacity(RequestedCapacity(*requested_[number], name), capacity));
    }
  }
  return amounts;
}

bool Shares::Fits(uint32_t candidate, const Device& device, uint32_t number) {
  const auto found = shares_.find(candidate);
  if (found == shares_.end() || found->second.picks.empty()) return true;
  Share& share = found->second;
  const std::vector<api::Quantity>& amounts = AmountsOf(share, device, number);
  for (size_t i = 0; i < amounts.size(); ++i) {
    api::Quantity sum = share.sums[i];
    sum += amounts[i];
    if (sum > *share.values[i]) return false;
  }
  return true;
}

void Shares::Add(uint32_t candidate, const Device& device, uint32_t number) {
  Share& share = ShareOf(candidate, device);
  const std::vector<api::Quantity>& amounts = AmountsOf(share, device, number);
  for (size_t i = 0; i < amounts.size(); ++i) {
    share.sums[i] += amounts[i];
    share.left[i] = share.values[i]->AsApproximateFloat64() - share.sums[i].AsApproximateFloat64();
  }
  share.picks.push_back(number);
}

void Shares::RemoveLast(uint32_t candidate) {
  Share& share = shares_.find(candidate)->second;
  const std::vector<api::Quantity>& amounts = share.amounts[share.picks.back()];
  for (size_t i = 0; i < amounts.size(); ++i) {
    share.sums[i] -= amounts[i];
    share.left[i] = share.values[i]->AsApproximateFloat64() - share.sums[i].AsApproximateFloat64();
  }
  share.picks.pop_back();
}

void Shares::Clear() { shares_.clear(); }

const std::vector<uint32_t>& Shares::PicksOf(uint32_t candidate) const {
  static const std::vector<uint32_t> kNone;
  const auto found = shares_.find(candidate);
  return found == shares_.end() ? kNone : found->second.picks;
}

const std::vector<double>* Shares::LeftOf(uint32_t candidate) const {
  const auto found = shares_.find(candidate);
  return found == shares_.end() ? nullptr : &found->second.left;
}

}  // namespace berth::scheduler::devices
