// DeviceSearch finds devices for all requests of all claims of a pod on one node: depth first, in a
// fixed order, and the first complete solution wins.
//
// Each step copies what was picked before it, so that there is nothing to undo, except in
// constraints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/reference/devices/claim_requests.h"
#include "scheduler/reference/devices/device_constraints.h"
#include "scheduler/reference/devices/node_devices.h"

namespace berth::scheduler::reference {

// A device that was picked for a request.
struct PickedDevice {
  const Alternative* wanted = nullptr;
  DeviceCandidate candidate;
  bool shared = false;
  api::QuantityMap consumed_capacity = {};  // Of a shared device.
};

// Everything that was picked so far.
struct PickedDevices {
  // By claim, in the order in which they were picked.
  std::vector<std::vector<PickedDevice>> by_claim;
  // By claim: the alternative of each request that was reached so far.
  std::vector<std::vector<const Alternative*>> alternatives;
  // Devices that are not shared, with the claims that they were picked for.
  std::map<DeviceId, std::set<size_t>> exclusive;
  // Shared devices, with the sum of their shares.
  std::map<DeviceId, api::QuantityMap> capacity;
  // By pool.
  std::map<const DevicePool*, NodeDevices::CounterValues> counters;
};

class DeviceSearch {
 public:
  enum class Outcome : uint8_t {
    kSolved,
    kNone,      // There is no solution.
    kExceeded,  // Some claim would get too many devices, whatever is picked.
    kFailed,    // An error: see error().
    kGaveUp,    // The search reached its bound.
  };

  // The most devices that one search tries, and the most steps that are nested. A device takes
  // microseconds, so that a search ends within seconds; a nested step takes less than a kilobyte of
  // stack.
  static constexpr size_t kMaxTries = 200'000;
  static constexpr size_t kMaxDepth = 1'000;

  // Both must outlive this.
  DeviceSearch(NodeDevices& devices, const std::vector<ClaimRequests>& claims);

  // Must be called once.
  Outcome Run();

  const PickedDevices& solution() const { return solution_; }
  const std::string& error() const { return error_; }

 private:
  // What is to be picked next.
  struct Place {
    size_t claim = 0;
    size_t request = 0;
    // nullptr before one is chosen.
    const Alternative* wanted = nullptr;
    int64_t picked = 0;  // Devices that `wanted` has already.
    size_t start = 0;    // The first candidate to try.
  };

  Outcome Search(const Place& place, const PickedDevices& picked);
  Outcome SearchFrom(const Place& place, const PickedDevices& picked);
  Outcome TryAlternatives(const Place& place, const PickedDevices& picked);
  Outcome TryAllDevices(const Place& place, const PickedDevices& picked);
  Outcome TryCandidates(const Place& place, const PickedDevices& picked);
  // Picks the device and continues after it, if that is possible. `must` makes it an error if a
  // constraint prevents it. kNone if it is not possible.
  Outcome Pick(const Place& next, const DeviceCandidate& candidate, const PickedDevices& picked,
               bool must);

  bool IsInUse(const Place& place, const DeviceId& id, const PickedDevices& picked) const;
  bool IsShareable(const api::Device& device) const;
  bool FitsCapacityNow(const Alternative& wanted, const DeviceCandidate& candidate,
                       const PickedDevices& picked) const;
  // Adds the counters of the device; returns false if there are not enough of them.
  bool TakeCounters(const DeviceCandidate& candidate, PickedDevices& picked) const;

  NodeDevices& devices_;
  const std::vector<ClaimRequests>& claims_;
  std::vector<std::vector<ConstraintState>> constraints_;  // By claim.
  PickedDevices solution_;
  std::string error_;
  size_t tries_ = 0;
  size_t depth_ = 0;
};

}  // namespace berth::scheduler::reference
