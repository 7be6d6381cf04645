// Allocations of devices in random clusters: what the reference implementation finds is allowed,
// by rules that are simpler than its search.
//
// BERTH_DEVICE_CLUSTERS sets the number of clusters (2,000); BERTH_DEVICE_SEED repeats one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/selector.h"
#include "base/random.h"
#include "scheduler/model/features.h"
#include "scheduler/reference/devices/allocated_devices.h"
#include "scheduler/reference/devices/device_capacity.h"
#include "scheduler/reference/evaluate.h"
#include "scheduler/reference/reference_profile.h"
#include "scheduler/reference/snapshot.h"
#include "testing/random_cluster.h"
#include "testing/random_devices.h"

namespace berth {
namespace BERTH_TEST_FILE {

using scheduler::reference::AllocatedDevices;
using scheduler::reference::ClaimAllocation;

using scheduler::reference::DeviceId;
using scheduler::reference::Evaluation;
using scheduler::reference::ReferenceProfile;
using scheduler::reference::Snapshot;

constexpr Instant kNow = Instant::FromUnixSeconds(1'900'000'000);

// Counts what happened, to check that nothing is left out.
struct Coverage {
  std::map<std::string, size_t> reasons;  // By verdict of DynamicResources.
  size_t devices = 0;
  size_t shares = 0;
  size_t admin = 0;
  size_t with_counters = 0;
  size_t alternatives = 0;
  size_t special = 0;
  size_t constrained = 0;
};

// A device with its slice.
struct Found {
  const api::ResourceSlice* slice = nullptr;
  const api::Device* device = nullptr;
};

DeviceId IdOf(const api::DeviceRequestAllocationResult& result) {
  return {result.driver, result.pool, result.device};
}

bool Selects(const std::optional<std::string>& name, const std::optional<bool>& all,
             const std::optional<api::NodeSelector>& selector, const api::Node& node) {
  if (name) return *name == node.metadata.name;
  if (all.value_or(false)) return true;
  if (!selector) return false;
  const auto compiled = api::CompiledNodeSelector::Make(*selector);
  return compiled && compiled->Matches(node.metadata.labels, node.metadata.name);
}

// Checks the allocations of one node.
class NodeCheck {
 public:
  NodeCheck(const Snapshot& cluster, const api::Node& node,
            const scheduler::model::Features& features, Coverage& coverage)
      : cluster_(cluster),
        node_(node),
        features_(features),
        coverage_(coverage),
        allocated_(scheduler::reference::GatherAllocatedDevices(cluster, features)) {}

  void Run(const std::vector<ClaimAllocation>& allocations) {
    for (const ClaimAllocation& allocation : allocations) {
      const auto* claim =
          scheduler::reference::Find(cluster_.resource_claims, "default", allocation.claim);
      if (claim == nullptr) {
        EXPECT_EQ(allocation.claim, "<extended-resources>");
        ++coverage_.special;
      }
      EXPECT_LE(allocation.allocation.results.size(), 32U);
      std::set<DeviceId> of_claim;
      for (const auto& result : allocation.allocation.results) CheckDevice(result, of_claim);
      if (claim != nullptr) CheckRequests(*claim, allocation.allocation);
    }
    CheckSums();
  }

 private:
  // Returns the device in the newest slices that this node can use.
  Found FindDevice(const DeviceId& id) const {
    Found found;
    for (const auto& [key, slice] : cluster_.resource_slices) {
      if (slice->driver != id.driver || slice->pool.name != id.pool) continue;
      const bool per_device = slice->per_device_node_selection.value_or(false);
      for (const api::Device& device : slice->devices) {
        if (device.name != id.device) continue;
        const bool selected =
            per_device ? Selects(device.node_name, device.all_nodes, device.node_selector, node_)
                       : Selects(slice->node_name, slice->all_nodes, slice->node_selector, node_);
        if (!selected) continue;
        if (found.slice == nullptr || found.slice->pool.generation < slice->pool.generation)
          found = {slice.get(), &device};
      }
    }
    return found;
  }

  void CheckDevice(const api::DeviceRequestAllocationResult& result, std::set<DeviceId>& of_claim) {
    const DeviceId id = IdOf(result);
    SCOPED_TRACE(id.ToString());
    const Found found = FindDevice(id);
    ASSERT_NE(found.device, nullptr) << "the node does not have it";
    const api::Device& device = *found.device;
    ++coverage_.devices;
    const bool shareable =
        features_.dra_consumable_capacity && device.allow_multiple_allocations.value_or(false);
    EXPECT_EQ(result.share_id.has_value(), shareable);
    if (shareable) {
      ++coverage_.shares;
      EXPECT_EQ(result.consumed_capacity.size(), device.capacity.size());
      scheduler::reference::AddQuantities(consumed_[id], result.consumed_capacity);
    } else {
      EXPECT_TRUE(of_claim.insert(id).second) << "twice in a claim";
      if (!result.admin_access) {
        EXPECT_FALSE(allocated_.exclusive.contains(id)) << "in use";
        EXPECT_TRUE(exclusive_.insert(id).second) << "for two claims";
      }
    }
    coverage_.admin += result.admin_access.value_or(false);
    coverage_.alternatives += result.request.find('/') != std::string::npos;
    if (!device.consumes_counters.empty()) {
      EXPECT_TRUE(features_.dra_partitionable_devices);
      ++coverage_.with_counters;
      // Further shares of a device consume nothing.
      if (!allocated_.Has(id)) uses_counters_[{id.driver, id.pool}].insert(id.device);
    }
    if (features_.dra_device_taints) CheckTaints(device, result.tolerations);
    picked_[id] = found;
  }

  static void CheckTaints(const api::Device& device,
                          const std::vector<api::DeviceToleration>& tolerations) {
    for (const api::DeviceTaint& taint : device.taints) {
      if (taint.effect == "None") continue;
      EXPECT_TRUE(std::ranges::any_of(tolerations, [&](const auto& toleration) {
        return (toleration.key.empty() || toleration.key == taint.key) &&
               (toleration.effect.empty() || toleration.effect == taint.effect) &&
               (toleration.op == "Exists" || toleration.value == taint.value);
      })) << "tainted";
    }
  }

  // Each request got as many devices as it asked for.
  void CheckRequests(const api::ResourceClaim& claim, const api::AllocationResult& allocation) {
    std::map<std::string, int64_t> counts;
    for (const auto& result : allocation.results) ++counts[result.request];
    for (const api::DeviceRequest& request : claim.spec.requests) {
      if (request.exactly) {
        CheckCount(*request.exactly, counts[request.name]);
        continue;
      }
      size_t chosen = 0;
      for (const api::DeviceSubRequest& alternative : request.first_available) {
        const int64_t count = counts[request.name + "/" + alternative.name];
        if (count == 0) continue;
        ++chosen;
        CheckCount(alternative, count);
      }
      EXPECT_EQ(chosen, 1U);
    }
    for (const api::DeviceConstraint& constraint : claim.spec.constraints) {
      ++coverage_.constrained;
      if (constraint.match_attribute) CheckMatch(constraint, allocation);
    }
  }

  static void CheckCount(const api::DeviceSubRequest& request, int64_t count) {
    if (request.allocation_mode == "All") {
      EXPECT_GT(count, 0);
    } else {
      EXPECT_EQ(count, request.count);
    }
  }

  void CheckMatch(const api::DeviceConstraint& constraint,
                  const api::AllocationResult& allocation) const {
    std::vector<api::DeviceAttribute> values;
    for (const auto& result : allocation.results) {
      const std::string request = result.request.substr(0, result.request.find('/'));
      const auto& requests = constraint.requests;
      if (!requests.empty() && !scheduler::reference::Contains(requests, request) &&
          !scheduler::reference::Contains(requests, result.request)) {
        continue;
      }
      const std::string prefix = result.driver + "/";
      ASSERT_TRUE(constraint.match_attribute->starts_with(prefix));
      const auto& attributes = picked_.at(IdOf(result)).device->attributes;
      const auto value = attributes.find(constraint.match_attribute->substr(prefix.size()));
      ASSERT_NE(value, attributes.end());
      values.push_back(value->second);
    }
    for (const api::DeviceAttribute& value : values) EXPECT_EQ(value, values[0]);
  }

  // No capacity and no counter is exceeded.
  void CheckSums() {
    for (const auto& [id, amounts] : consumed_) {
      SCOPED_TRACE(id.ToString());
      api::QuantityMap sums = amounts;
      if (const auto before = allocated_.capacity.find(id); before != allocated_.capacity.end())
        scheduler::reference::AddQuantities(sums, before->second);
      for (const auto& [name, capacity] : picked_.at(id).device->capacity)
        EXPECT_LE(sums[name], capacity.value) << name;
    }
    for (const auto& [pool, devices] : uses_counters_) {
      SCOPED_TRACE(pool.second);
      CheckCounters(pool.first, pool.second, devices,
                    picked_.at({pool.first, pool.second, *devices.begin()}).slice->pool.generation);
    }
  }

  void CheckCounters(const std::string& driver, const std::string& pool,
                     const std::set<std::string>& picked, int64_t generation) const {
    std::map<std::string, api::QuantityMap> left;
    for (const auto& [key, slice] : cluster_.resource_slices) {
      if (slice->driver != driver || slice->pool.name != pool ||
          slice->pool.generation != generation)
        continue;
      for (const api::CounterSet& set : slice->shared_counters) {
        for (const auto& [name, counter] : set.counters) left[set.name][name] += counter.value;
      }
      for (const api::Device& device : slice->devices) {
        if (!picked.contains(device.name) && !allocated_.Has({driver, pool, device.name})) continue;
        for (const auto& consumption : device.consumes_counters) {
          for (const auto& [name, counter] : consumption.counters)
            left[consumption.counter_set][name] -= counter.value;
        }
      }
    }
    for (const auto& [set, counters] : left) {
      for (const auto& [name, rest] : counters) EXPECT_GE(rest.Sign(), 0) << set << "/" << name;
    }
  }

  const Snapshot& cluster_;
  const api::Node& node_;
  const scheduler::model::Features& features_;
  Coverage& coverage_;
  const AllocatedDevices allocated_;
  std::map<DeviceId, Found> picked_;
  std::set<DeviceId> exclusive_;  // Without admin access.
  std::map<DeviceId, api::QuantityMap> consumed_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> uses_counters_;  // By pool.
};

// One cluster in three has gates that are off.
scheduler::model::Features FeaturesFor(uint64_t seed) {
  scheduler::model::Features features;
  if (seed % 3 != 0) return features;
  Random random(seed);
  for (const auto& [name, field] : scheduler::model::kNamedFeatures) {
    if (name.starts_with("DRA")) features.*field = random.Chance(70);
  }
  return features;
}

void CheckCluster(uint64_t seed, Coverage& coverage) {
  SCOPED_TRACE(fmt::format("BERTH_DEVICE_SEED={}", seed));
  DeviceClusterGenerator generator(seed);
  Snapshot cluster = generator.Snapshot();
  ReferenceProfile profile;
  profile.features = FeaturesFor(seed);
  for (int i = 0; i < 4; ++i) {
    const api::Ref<api::Pod> pod = generator.WaitingPod(cluster);
    SCOPED_TRACE(pod->metadata.name);
    const Evaluation evaluation = Evaluate(cluster, *pod, profile, kNow);
    EXPECT_FALSE(evaluation.gave_up);
    for (const auto& [name, node_evaluation] : evaluation.nodes) {
      SCOPED_TRACE(name);
      const auto& verdict = node_evaluation.verdict;
      const bool failed = verdict.code() == scheduler::framework::Code::kError;
      if (verdict.plugin() == "DynamicResources")
        ++coverage.reasons[failed ? "an error" : verdict.Message()];
      NodeCheck(cluster, *scheduler::reference::Find(cluster.nodes, name), profile.features,
                coverage)
          .Run(node_evaluation.allocations);
    }
    const RandomChange change = generator.Change(cluster);
    change.removed ? cluster.Remove(change.object) : cluster.Put(change.object);
  }
}

uint64_t NumberFrom(const char* variable, uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

TEST(Devices, AllocationsAreValid) {
  Coverage coverage;
  if (const uint64_t seed = NumberFrom("BERTH_DEVICE_SEED", 0); seed != 0) {
    CheckCluster(seed, coverage);
    return;
  }
  const uint64_t clusters = NumberFrom("BERTH_DEVICE_CLUSTERS", 2'000);
  for (uint64_t seed = 1; seed <= clusters && !HasFailure(); ++seed) CheckCluster(seed, coverage);
  // Each of these happens at least once in `clusters` / 50 clusters.
  const size_t enough = clusters / 50;
  EXPECT_GE(coverage.devices, enough);
  EXPECT_GE(coverage.shares, enough);
  EXPECT_GE(coverage.admin, enough);
  EXPECT_GE(coverage.with_counters, enough);
  EXPECT_GE(coverage.alternatives, enough);
  EXPECT_GE(coverage.special, enough);
  EXPECT_GE(coverage.constrained, enough);
  for (const char* reason :
       {"cannot allocate all claims", "resourceclaim not available on the node",
        "invalid resource pools were encountered", "an error"}) {
    EXPECT_GE(coverage.reasons[reason], enough) << reason;
  }
  fmt::print("{} devices, {} shares, {} with counters, {} for special claims\n", coverage.devices,
             coverage.shares, coverage.with_counters, coverage.special);
  for (const auto& [reason, count] : coverage.reasons) fmt::print("  {} {}\n", count, reason);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
