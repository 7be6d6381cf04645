// Shares is what the picks of one search consume of devices that several claims share.
//
// Sums are kept per capacity, so that a check takes as long as the device has capacities, however
// many shares there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "api/quantity.h"
#include "api/resource_slice.h"
#include "scheduler/devices/allocated_devices.h"
#include "scheduler/devices/slice.h"

namespace berth::scheduler::devices {

class Shares {
 public:
  using Requested = std::optional<api::QuantityMap>;

  // `allocated` must outlive this.
  explicit Shares(const AllocatedDevices& allocated) : allocated_(allocated) {}

  // Returns a number for these requested capacities, the same for equal ones. They must outlive
  // this.
  uint32_t Register(const Requested& requested);
  const Requested& requested(uint32_t number) const { return *requested_[number]; }
  size_t size() const { return requested_.size(); }

  // Reports whether some pick shares the candidate.
  bool Has(uint32_t candidate) const {
    const auto found = shares_.find(candidate);
    return found != shares_.end() && !found->second.picks.empty();
  }
  // Reports whether the capacities `number` can be consumed beside those of the picks; without
  // picks, whether they can at all was checked before.
  bool Fits(uint32_t candidate, const Device& device, uint32_t number);
  void Add(uint32_t candidate, const Device& device, uint32_t number);
  // Reverts the last Add of the candidate.
  void RemoveLast(uint32_t candidate);
  void Clear();

  // What the picks of the candidate have requested, in order.
  const std::vector<uint32_t>& PicksOf(uint32_t candidate) const;
  // How much of each capacity is left, about.
  const std::vector<double>* LeftOf(uint32_t candidate) const;

 private:
  struct Share {
    // By capacity of the device: the sum of all that consume it, claims and picks, and its value.
    std::vector<api::Quantity> sums;
    std::vector<const api::Quantity*> values;
    std::vector<double> left;                         // About.
    std::vector<std::vector<api::Quantity>> amounts;  // By number; empty until needed.
    std::vector<uint32_t> picks;
  };

  Share& ShareOf(uint32_t candidate, const Device& device);
  const std::vector<api::Quantity>& AmountsOf(Share& share, const Device& device, uint32_t number);

  const AllocatedDevices& allocated_;
  std::vector<const Requested*> requested_;
  std::unordered_map<uint32_t, Share> shares_;  // By candidate; kept when the last pick goes.
};

}  // namespace berth::scheduler::devices
