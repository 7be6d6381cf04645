#include "simulation/device_invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "api/selector.h"
#include "scheduler/devices/search.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/device_model.h"
#include "simulation/device_activity.h"
#include "simulation/device_population.h"
#include "simulation/population.h"

namespace berth::simulation {
namespace {

// Of one search: a tenth of the default, which few reach.
constexpr uint64_t kMaxWork = 100'000;

using PoolKey = std::pair<std::string, std::string>;                  // Driver, pool.
using DeviceKey = std::tuple<std::string, std::string, std::string>;  // And device.
using Sums = std::map<std::string, api::Quantity, std::less<>>;

std::string NameOf(const DeviceKey& key) {
  return fmt::format("{}/{}/{}", std::get<0>(key), std::get<1>(key), std::get<2>(key));
}

// What the claims of the API use.
class UsedDevices {
 public:
  // Returns what is wrong with the claim's devices; "" if nothing is.
  std::string Add(const api::ResourceClaim& claim) {
    for (const api::DeviceRequestAllocationResult& result : claim.status.allocation->results) {
      if (result.admin_access.value_or(false)) continue;
      const DeviceKey key{result.driver, result.pool, result.device};
      const auto [other, is_new] = users_.emplace(key, claim.metadata.name);
      const bool shared = result.share_id.has_value();
      if (!is_new && !(shared && shared_.contains(key))) {
        return fmt::format("{} is allocated to {} and {}", NameOf(key), other->second,
                           claim.metadata.name);
      }
      if (!shared) continue;
      shared_.insert(key);
      for (const auto& [name, amount] : result.consumed_capacity) consumed_[key][name] += amount;
    }
    return "";
  }

  // Returns which capacity of a device is exceeded; "" if none is.
  std::string ExcessOf(const api::ResourceSlice& slice) const {
    for (const api::Device& device : slice.devices) {
      const DeviceKey key{slice.driver, slice.pool.name, device.name};
      const auto sums = consumed_.find(key);
      if (sums == consumed_.end()) continue;
      for (const auto& [name, amount] : sums->second) {
        const auto capacity = device.capacity.find(name);
        if (capacity != device.capacity.end() && amount <= capacity->second.value) continue;
        return fmt::format("{} of {} of {} are used", amount.ToString(), name, NameOf(key));
      }
    }
    return "";
  }

  bool Has(const DeviceKey& key) const { return users_.contains(key); }

 private:
  std::map<DeviceKey, std::string> users_;
  std::set<DeviceKey> shared_;
  std::map<DeviceKey, Sums> consumed_;
};

// What allocated devices draw from the counters of their pools. Generations do not change them.
class UsedCounters {
 public:
  void Add(const api::ResourceSlice& slice, const UsedDevices& used) {
    const PoolKey pool{slice.driver, slice.pool.name};
    for (const api::CounterSet& set : slice.shared_counters) {
      for (const auto& [name, counter] : set.counters)
        limits_[pool][set.name + "/" + name] = counter.value;
    }
    for (const api::Device& device : slice.devices) {
      if (!used.Has({slice.driver, slice.pool.name, device.name})) continue;
      for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
        for (const auto& [name, counter] : consumption.counters)
          sums_[pool][consumption.counter_set + "/" + name] += counter.value;
      }
    }
  }

  std::string Excess() const {
    for (const auto& [pool, limits] : limits_) {
      const auto sums = sums_.find(pool);
      if (sums == sums_.end()) continue;
      for (const auto& [name, limit] : limits) {
        const auto sum = sums->second.find(name);
        if (sum == sums->second.end() || sum->second <= limit) continue;
        return fmt::format("{} of counter {} of {}/{} are used, {} exist", sum->second.ToString(),
                           name, pool.first, pool.second, limit.ToString());
      }
    }
    return "";
  }

 private:
  std::map<PoolKey, Sums> limits_, sums_;
};

std::string TextOf(const api::ResourceClaim& claim) {
  return fmt::format("claim {} ({})", claim.metadata.name, claim.metadata.uid);
}

int64_t VersionOf(const api::ResourceClaim& claim) {
  return api::ParseInt(claim.metadata.resource_version).value_or(0);
}

bool IsReservedFor(const api::ResourceClaim& claim, const api::Pod& pod) {
  const auto& users = claim.status.reserved_for;
  return std::ranges::find(users, pod.metadata.uid, &api::ResourceClaimConsumerReference::uid) !=
         users.end();
}

// Devices belong to a node, or to all; none are selected by labels.
bool IsUsableOn(const api::AllocationResult& allocation, const std::string& node) {
  if (!allocation.node_selector) return true;
  const auto selector = api::CompiledNodeSelector::Make(*allocation.node_selector);
  return selector && selector->Matches({}, node);
}

// Returns the names of the claims that the pod uses.
std::vector<std::string> ClaimNamesOf(const api::Pod& pod) {
  std::vector<std::string> names;
  for (const api::PodResourceClaim& entry : pod.spec.resource_claims) {
    if (entry.resource_claim_name) names.push_back(*entry.resource_claim_name);
  }
  for (const api::PodResourceClaimStatus& made : pod.status.resource_claim_statuses) {
    if (made.resource_claim_name) names.push_back(*made.resource_claim_name);
  }
  if (const auto& extended = pod.status.extended_resource_claim_status)
    names.push_back(extended->resource_claim_name);
  return names;
}

}  // namespace

std::optional<Violation> DeviceInvariants::CommandSent(
    const scheduler::engine::Command& command, const scheduler::engine::Engine& engine) const {
  const auto* update = std::get_if<scheduler::framework::UpdateResourceClaimStatus>(&command.write);
  if (update == nullptr || !update->object->status.allocation) return std::nullopt;
  const api::ResourceClaim& claim = *update->object;
  // Special claims are in flight under another uid.
  const auto reserved = engine.cluster().devices().in_flight().Find(claim.metadata.uid);
  if (reserved == nullptr) return std::nullopt;
  // A pod that shares a claim which is allocated, or was, writes what others have allocated. If
  // that version of the claim is gone, the write cannot succeed.
  const auto latest = engine.cluster().devices().FindClaim(KeyOf(claim.metadata));
  if (latest == nullptr || latest->status.allocation || VersionOf(claim) < VersionOf(*latest))
    return std::nullopt;
  api::AllocationResult written = *claim.status.allocation;
  written.allocation_timestamp = reserved->status.allocation->allocation_timestamp;
  if (written == *reserved->status.allocation) return std::nullopt;
  return Violation{kAllocation,
                   TextOf(claim) + " is written with another allocation than reserved"};
}

std::optional<Violation> DeviceInvariants::AfterStep() const {
  if (!plan_.devices || !plan_.all_allocations_are_known()) return std::nullopt;
  UsedDevices used;
  for (const auto& claim : api_.All<api::ResourceClaim>()) {
    if (!claim->status.allocation) continue;
    if (std::string wrong = used.Add(*claim); !wrong.empty())
      return Violation{kDevices, std::move(wrong)};
  }
  UsedCounters counters;
  for (const auto& slice : api_.All<api::ResourceSlice>()) {
    if (std::string excess = used.ExcessOf(*slice); !excess.empty())
      return Violation{kDevices, std::move(excess)};
    counters.Add(*slice, used);
  }
  if (std::string excess = counters.Excess(); !excess.empty())
    return Violation{kDevices, std::move(excess)};
  return std::nullopt;
}

std::optional<Violation> DeviceInvariants::WhenIdle(const scheduler::engine::Engine& engine) const {
  if (!plan_.devices) return std::nullopt;
  if (const size_t count = engine.cluster().devices().in_flight().size(); count != 0) {
    return Violation{kFreed, fmt::format("{} allocations are in flight without end", count)};
  }
  if (const size_t tasks = engine.background_tasks(); tasks != 0)
    return Violation{kFreed, fmt::format("{} tasks in the background never end", tasks)};
  if (auto broken = ClaimsAreUsed()) return broken;
  if (auto broken = SearchesEnd(engine.cluster())) return broken;
  return PodsHaveTheirClaims();
}

std::optional<Violation> DeviceInvariants::ClaimsAreUsed() const {
  for (const auto& claim : api_.All<api::ResourceClaim>()) {
    for (const api::ResourceClaimConsumerReference& user : claim->status.reserved_for) {
      if (IsAlive(api_, user.name, user.uid)) continue;
      return Violation{
          kFreed, fmt::format("{} is reserved for {}, which is gone", TextOf(*claim), user.uid)};
    }
    const auto& owners = claim->metadata.owner_references;
    if (owners.empty() || IsAlive(api_, owners[0].name, owners[0].uid)) continue;
    return Violation{kFreed, TextOf(*claim) + " remains, though its pod is gone"};
  }
  return std::nullopt;
}

std::optional<Violation> DeviceInvariants::SearchesEnd(
    const scheduler::model::Cluster& cluster) const {
  const scheduler::model::Devices& devices = cluster.devices();
  for (const auto& claim : api_.All<api::ResourceClaim>()) {
    const auto compiled =
        devices.Compile(std::shared_ptr<const api::ResourceClaimSpec>(claim, &claim->spec));
    const scheduler::devices::CompiledClaim* claims[] = {compiled.get()};
    std::optional<Violation> broken;
    cluster.nodes().present().ForEach([&](size_t row) {
      const scheduler::model::NodeRow node{static_cast<uint32_t>(row)};
      const auto pools = devices.PoolsOf(node);
      const auto found = scheduler::devices::Search({.pools = *pools,
                                                     .node = *cluster.nodes().info(node).object,
                                                     .claims = claims,
                                                     .allocated = devices.allocated(),
                                                     .gates = devices.gates(),
                                                     .max_work = kMaxWork})
                             .Run();
      if (found.work <= kMaxWork + scheduler::devices::kMaxExcess || broken) return;
      broken =
          Violation{kSearchWork, fmt::format("{} takes {} units of work on node {}", TextOf(*claim),
                                             found.work, cluster.nodes().name(node))};
    });
    if (broken) return broken;
  }
  return std::nullopt;
}

std::optional<Violation> DeviceInvariants::PodsHaveTheirClaims() const {
  // A reservation may be removed by a write that arrives late.
  if (!plan_.all_allocations_are_known() || plan_.writes.lost > 0) return std::nullopt;
  for (const auto& pod : api_.All<api::Pod>()) {
    if (pod->spec.node_name.empty() || pod->finished() || pod->spec.scheduler_name != kOurScheduler)
      continue;
    for (const std::string& name : ClaimNamesOf(*pod)) {
      const auto claim = api_.Find<api::ResourceClaim>({kNamespace, name});
      const bool reserved =
          claim != nullptr && claim->status.allocation && IsReservedFor(*claim, *pod);
      if (reserved && IsUsableOn(*claim->status.allocation, pod->spec.node_name)) continue;
      return Violation{
          kFreed, fmt::format("pod {} ({}) runs, but claim {} is {}", pod->metadata.name,
                              pod->metadata.uid, name,
                              reserved ? "allocated on another node than " + pod->spec.node_name
                                       : "not reserved for it")};
    }
  }
  return std::nullopt;
}

bool DeviceInvariants::HasItsClaims(const api::Pod& pod) const {
  if (pod.spec.resource_claims.empty()) return true;
  // The names of claims that were made for it may not be readable.
  if (plan_.undecodable) return false;
  const std::vector<std::string> names = ClaimNamesOf(pod);
  return names.size() >= pod.spec.resource_claims.size() &&
         std::ranges::all_of(names, [&](const std::string& name) {
           const auto claim = api_.Find<api::ResourceClaim>({kNamespace, name});
           return claim != nullptr && !claim->metadata.deletion_timestamp;
         });
}

std::optional<Violation> DeviceInvariants::CacheMatchesApi(
    const scheduler::engine::Engine& engine) const {
  const auto claims = api_.All<api::ResourceClaim>();
  const auto& known = engine.cluster().devices();
  if (known.claims().size() != claims.size()) {
    return Violation{kAllocation, fmt::format("{} claims exist, {} are known", claims.size(),
                                              known.claims().size())};
  }
  for (const auto& claim : claims) {
    const auto latest = known.FindClaim(KeyOf(claim->metadata));
    if (latest != nullptr && *latest == *claim) continue;
    return Violation{kAllocation, TextOf(*claim) + " differs from the API's version"};
  }
  return std::nullopt;
}

}  // namespace berth::simulation
