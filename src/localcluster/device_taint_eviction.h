// DeviceTaintEviction deletes pods whose allocated devices have NoExecute taints that their claims
// do not tolerate: immediately, or when the tolerationSeconds have passed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "localcluster/controller.h"

namespace berth::localcluster {

class DeviceTaintEviction final : public Controller {
 public:
  explicit DeviceTaintEviction(Context& context) : Controller("device-taint-eviction", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& pod) override;  // The key names a pod.
  size_t index_size() const override {
    return pools_.size() + pool_of_slice_.size() + pools_of_claim_.size();
  }

 private:
  using PoolName = std::pair<std::string, std::string>;  // Driver and pool.
  struct Slice {
    int64_t generation = 0;
    bool evicts = false;  // A device has a NoExecute taint.
  };
  struct Pool {
    std::map<std::string, Slice> slices;
    std::set<ObjectName> claims;  // With devices of the pool.

    bool evicts() const;
    // Returns the slices of the highest generation that have devices with NoExecute taints.
    std::vector<std::string> EvictingSlices() const;
  };

  void ObserveSlice(const Change& change);
  void ObserveClaim(const Change& change);
  // Removes the pool if it has neither slices nor claims.
  void DropIfUnused(const PoolName& pool);
  // Queues the pods for which the claim is reserved.
  void QueueConsumersOf(const ObjectName& name, const JsonObject& claim);
  // Returns when the claim's devices must be free; nullopt if never.
  std::optional<Instant> EvictionTime(const JsonObject& claim) const;
  // The same for one device of the claim.
  std::optional<Instant> EvictionTime(const Pool& pool, const JsonObject& result) const;

  std::map<PoolName, Pool> pools_;
  std::map<std::string, PoolName> pool_of_slice_;
  std::map<ObjectName, std::set<PoolName>> pools_of_claim_;
};

}  // namespace berth::localcluster
