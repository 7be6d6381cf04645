// Devices: the part of the cluster model about claims, device classes and slices.
//
// Updated by Cluster; at any time it equals what would be computed from scratch out of the objects,
// the assumed claims and the allocations in flight.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/meta.h"
#include "base/result.h"
#include "scheduler/model/device_claims.h"

namespace berth::scheduler::model {

class Devices {
 public:
  // --- claims ---

  // Returns the claim with all assumed writes; null if there is none.
  ClaimRef FindClaim(const api::ObjectKey& key) const { return claims_.Find(key); }
  const ClaimCache& claims() const { return claims_; }

  // `claim` is what a write returned: see ClaimCache::Assume.
  Status Assume(ClaimRef claim);
  void Restore(const api::ObjectKey& key);

  // See InFlightAllocations. The devices of an allocation in flight count as allocated.
  void AddInFlight(ClaimRef claim);
  // Returns whether no allocation is left in flight.
  bool RemoveInFlight(const std::string& uid, bool forced);
  bool IsInFlight(const std::string& uid) const { return in_flight_.Contains(uid); }

  // Returns the changes of claims by Assume and Restore since the last call: events for the queue,
  // before the API shows them.
  std::vector<ClaimChange> TakeAssumedChanges();

 private:
  ClaimCache claims_;
  InFlightAllocations in_flight_;
};

}  // namespace berth::scheduler::model
