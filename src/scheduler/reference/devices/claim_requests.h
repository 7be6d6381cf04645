// ClaimRequests are the requests of a claim that is to be allocated, checked for one node.
#pragma once

#include <cstdint>
#include <vector>

#include "api/resource_claim.h"
#include "base/result.h"
#include "scheduler/reference/devices/node_devices.h"

namespace berth::scheduler::reference {

// The most devices that a claim may have.
inline constexpr int64_t kMaxDevicesPerClaim = 32;

struct Alternative : WantedDevices {
  int64_t need = 0;  // How many devices.
  // For allocation mode All: these devices.
  bool all = false;
  std::vector<DeviceCandidate> all_devices;
};

struct ClaimRequests {
  struct Request {
    // The alternatives of `firstAvailable`, or one for `exactly`.
    std::vector<Alternative> alternatives;
    bool first_available = false;
  };

  const api::ResourceClaim* claim = nullptr;
  std::vector<Request> requests;
};

// Fails if the requests can never be met, on whatever node, or ask for all devices while a pool
// cannot be used. `claim` must outlive the result.
Result<ClaimRequests> CheckRequests(const api::ResourceClaim& claim, NodeDevices& devices);

}  // namespace berth::scheduler::reference
