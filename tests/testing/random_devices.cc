#include "testing/random_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "testing/random_objects.h"
#include "testing/random_slices.h"

namespace berth {
namespace {

using generate::InZone;
using generate::kGpuDriver;
using generate::kGpuResource;
using generate::OneOf;

constexpr const char* kModel = "gpu.example.com/model";
constexpr Instant kLongAgo = Instant::FromUnixSeconds(1'700'000'000);

api::Quantity Units(uint64_t number) {
  return api::Quantity::FromValue(static_cast<int64_t>(number));
}

template <typename T>
void Put(scheduler::reference::Snapshot& cluster, T object) {
  cluster.Put(std::make_shared<const T>(std::move(object)));
}

// A random element of a table.
template <typename T>
const T& AnyOf(Random& random, const scheduler::reference::Table<T>& table) {
  return *std::next(table.begin(), static_cast<int64_t>(random.Below(table.size())))->second;
}

}  // namespace

api::Node DeviceClusterGenerator::NewNode(size_t number) {
  api::Node node;
  node.metadata.name = fmt::format("node-{}", number);
  node.metadata.uid = node.metadata.name;
  node.metadata.labels["zone"] = OneOf(random_, {"a", "b"});
  node.status.allocatable = {{"cpu", Units(8)}, {"memory", Units(1 << 30)}, {"pods", Units(100)}};
  // Some nodes have a device plugin for it.
  if (random_.Chance(20)) node.status.allocatable[kGpuResource] = Units(random_.Below(3));
  return node;
}

api::DeviceSubRequest DeviceClusterGenerator::NewSubRequest(const std::string& name) {
  api::DeviceSubRequest request;
  request.name = name;
  request.device_class_name = OneOf(random_, {"any", "gpu", "gpu", "a100", "nic"});
  if (random_.Chance(1)) request.device_class_name = "broken";
  request.allocation_mode = random_.Chance(15) ? "All" : "ExactCount";
  if (request.allocation_mode == "ExactCount")
    request.count = static_cast<int64_t>(1 + (random_.Chance(30) ? random_.Below(3) : 0));
  if (random_.Chance(20))
    request.selectors.push_back({"'memory' in device.capacity[device.driver]"});
  if (random_.Chance(10)) request.selectors.push_back({"!device.allowMultipleAllocations"});
  if (random_.Chance(2))
    request.selectors.push_back({"device.attributes[device.driver].numa == 0"});
  if (random_.Chance(20)) {
    request.tolerations.push_back({.key = OneOf(random_, {"", "bad"}),
                                   .op = OneOf(random_, {"Exists", "Equal"}),
                                   .value = {},
                                   .effect = OneOf(random_, {"", "NoSchedule"}),
                                   .toleration_seconds = {}});
    if (request.tolerations[0].key.empty()) request.tolerations[0].op = "Exists";
  }
  if (random_.Chance(20)) request.capacity_requests = {{"memory", Units(1 + random_.Below(7))}};
  return request;
}

api::DeviceRequest DeviceClusterGenerator::NewRequest(const std::string& name) {
  api::DeviceRequest request;
  request.name = name;
  if (random_.Chance(75)) {
    request.exactly = NewSubRequest("");
    if (random_.Chance(12)) request.exactly->admin_access = true;
    return request;
  }
  const uint64_t alternatives = 1 + random_.Below(3);
  for (uint64_t i = 0; i < alternatives; ++i)
    request.first_available.push_back(NewSubRequest(fmt::format("alt-{}", i)));
  return request;
}

api::DeviceConstraint DeviceClusterGenerator::NewConstraint(
    const std::vector<api::DeviceRequest>& requests) {
  api::DeviceConstraint constraint;
  const std::string attribute =
      random_.Chance(70) ? kModel
                         : OneOf(random_, {"gpu.example.com/numa", "nic.example.org/numa"});
  (random_.Chance(50) ? constraint.match_attribute : constraint.distinct_attribute) = attribute;
  for (const api::DeviceRequest& request : requests) {
    if (random_.Chance(70)) continue;
    const auto& alternatives = request.first_available;
    const bool one = !alternatives.empty() && random_.Chance(50);
    constraint.requests.push_back(request.name + (one ? "/" + alternatives[0].name : ""));
  }
  return constraint;
}

void DeviceClusterGenerator::Allocate(const scheduler::reference::Snapshot& cluster,
                                      api::ResourceClaim& claim) {
  api::AllocationResult& allocation = claim.status.allocation.emplace();
  const api::ResourceSlice& slice = AnyOf(random_, cluster.resource_slices);
  for (const api::Device& device : slice.devices) {
    if (random_.Chance(60)) continue;
    auto& result = allocation.results.emplace_back();
    result.request = claim.spec.requests[0].name;
    if (!claim.spec.requests[0].first_available.empty())
      result.request += "/" + claim.spec.requests[0].first_available[0].name;
    result.driver = slice.driver;
    result.pool = slice.pool.name;
    result.device = device.name;
    if (random_.Chance(10)) result.admin_access = true;
    if (device.allow_multiple_allocations.value_or(false)) {
      result.share_id = fmt::format("share-{}", next_++);
      for (const auto& [name, capacity] : device.capacity)
        result.consumed_capacity[name] = Units(2 + random_.Below(3));
    }
    result.binding_conditions = device.binding_conditions.value_or(std::vector<std::string>{});
    result.binding_failure_conditions = device.binding_failure_conditions;
  }
  if (random_.Chance(70)) allocation.node_selector = InZone(OneOf(random_, {"a", "b"}));
  if (random_.Chance(50)) allocation.allocation_timestamp = kLongAgo;
  if (random_.Chance(30))
    claim.status.reserved_for.push_back(
        {.api_group = "", .resource = "pods", .name = "x", .uid = "x"});
}

api::ResourceClaim DeviceClusterGenerator::NewClaim(const std::string& name) {
  api::ResourceClaim claim;
  claim.metadata.name = name;
  claim.metadata.namespace_ = "default";
  claim.metadata.uid = "uid-" + name;
  claim.metadata.resource_version = fmt::format("{}", ++next_);
  const uint64_t requests = 1 + (random_.Chance(50) ? random_.Below(3) : 0);
  for (uint64_t i = 0; i < requests; ++i)
    claim.spec.requests.push_back(NewRequest(fmt::format("r{}", i)));
  if (random_.Chance(35)) claim.spec.constraints.push_back(NewConstraint(claim.spec.requests));
  if (random_.Chance(10)) claim.spec.constraints.push_back(NewConstraint(claim.spec.requests));
  if (random_.Chance(20)) {
    claim.spec.config.push_back(
        {.requests =
             random_.Chance(50) ? std::vector<std::string>{"r0"} : std::vector<std::string>{},
         .opaque = api::OpaqueDeviceConfiguration{.driver = kGpuDriver, .parameters = {}}});
  }
  return claim;
}

scheduler::reference::Snapshot DeviceClusterGenerator::Snapshot() {
  scheduler::reference::Snapshot cluster;
  const size_t nodes = 1 + random_.Below(4);
  for (size_t i = 0; i < nodes; ++i) {
    api::Node node = NewNode(i);
    if (random_.Chance(80)) {
      for (auto& slice : generate::RandomNodePool(random_, node.metadata.name, next_))
        Put(cluster, std::move(slice));
    }
    Put(cluster, std::move(node));
  }
  const size_t shared = random_.Below(3);
  for (size_t i = 0; i < shared; ++i) {
    for (auto& slice : generate::RandomSharedPool(random_, i, next_))
      Put(cluster, std::move(slice));
  }
  for (auto& device_class : generate::RandomDeviceClasses(random_))
    Put(cluster, std::move(device_class));
  const size_t claims = 3 + random_.Below(4);
  for (size_t i = 0; i < claims; ++i) {
    api::ResourceClaim claim = NewClaim(fmt::format("claim-{}", i));
    if (random_.Chance(60) || cluster.resource_slices.empty()) {
      Put(cluster, std::move(claim));
      continue;
    }
    const bool in_flight = random_.Chance(15);
    if (in_flight) Put(cluster, claim);
    Allocate(cluster, claim);
    if (in_flight) {
      const std::string uid = claim.metadata.uid;
      cluster.devices.in_flight[uid] = std::make_shared<const api::ResourceClaim>(std::move(claim));
    } else {
      Put(cluster, std::move(claim));
    }
  }
  return cluster;
}

api::Ref<api::Pod> DeviceClusterGenerator::WaitingPod(
    const scheduler::reference::Snapshot& cluster) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = fmt::format("pod-{}", ++next_);
  pod->metadata.namespace_ = "default";
  pod->metadata.uid = "uid-" + pod->metadata.name;
  pod->spec.scheduler_name = "default-scheduler";
  const bool by_resource = random_.Chance(20);
  const uint64_t containers = 1 + (by_resource ? random_.Below(3) : 0);
  for (uint64_t i = 0; i < containers; ++i) {
    const bool init = by_resource && random_.Chance(30);
    auto& list = init ? pod->spec.init_containers : pod->spec.containers;
    api::Container& container = list.emplace_back();
    container.name = fmt::format("c{}", i);
    if (init && random_.Chance(50)) container.restart_policy = "Always";
    container.resources.requests["cpu"] = Units(1);
    if (by_resource && random_.Chance(80))
      container.resources.requests[kGpuResource] = Units(1 + random_.Below(2));
    if (by_resource && random_.Chance(15))
      container.resources.requests["deviceclass.resource.kubernetes.io/nic"] = Units(1);
  }
  if (cluster.resource_claims.empty() || (by_resource && random_.Chance(60))) return pod;
  const uint64_t claims = 1 + (random_.Chance(40) ? random_.Below(2) : 0);
  for (uint64_t i = 0; i < claims; ++i) {
    // Each claim once.
    const std::string& name = AnyOf(random_, cluster.resource_claims).metadata.name;
    const bool known = std::ranges::any_of(pod->spec.resource_claims, [&](const auto& entry) {
      return entry.resource_claim_name == name;
    });
    if (known) continue;
    pod->spec.resource_claims.push_back({.name = fmt::format("entry-{}", i),
                                         .resource_claim_name = name,
                                         .resource_claim_template_name = {}});
  }
  return pod;
}

namespace {

template <typename T>
RandomChange Changed(T object, bool removed = false) {
  return {.object = std::make_shared<const T>(std::move(object)), .removed = removed};
}

}  // namespace

RandomChange DeviceClusterGenerator::SliceChange(const scheduler::reference::Snapshot& cluster) {
  if (cluster.resource_slices.empty() || random_.Chance(25)) {
    const std::string& node = AnyOf(random_, cluster.nodes).metadata.name;
    auto slices = random_.Chance(70) ? generate::RandomNodePool(random_, node, next_)
                                     : generate::RandomSharedPool(random_, random_.Below(3), next_);
    return Changed(std::move(slices.front()));
  }
  api::ResourceSlice slice = AnyOf(random_, cluster.resource_slices);
  if (random_.Chance(25)) return Changed(std::move(slice), /*removed=*/true);
  if (slice.devices.empty() || random_.Chance(20)) {
    ++slice.pool.generation;
    return Changed(std::move(slice));
  }
  api::Device& device = slice.devices[random_.Below(slice.devices.size())];
  const api::Device other = generate::RandomDevice(random_, device.name);
  switch (random_.Below(4)) {
    case 0:
      device.taints = other.taints;
      break;
    case 1:
      device.attributes = other.attributes;
      break;
    case 2:
      device.capacity = other.capacity;
      device.allow_multiple_allocations = other.allow_multiple_allocations;
      break;
    default:
      slice.devices.pop_back();
  }
  return Changed(std::move(slice));
}

RandomChange DeviceClusterGenerator::ClaimChange(const scheduler::reference::Snapshot& cluster) {
  api::ResourceClaim claim = NewClaim(fmt::format("claim-{}", random_.Below(8)));
  const auto* known =
      scheduler::reference::Find(cluster.resource_claims, "default", claim.metadata.name);
  if (known == nullptr || random_.Chance(15)) {
    // A claim never changes its requests: another one gets its name.
    claim.metadata.uid = fmt::format("uid-{}", next_);
    if (known != nullptr) return Changed(*known, /*removed=*/true);
    return Changed(std::move(claim));
  }
  const std::string version = claim.metadata.resource_version;
  claim = *known;
  claim.metadata.resource_version = version;
  if (claim.status.allocation) {
    claim.status = {};
  } else if (!cluster.resource_slices.empty()) {
    Allocate(cluster, claim);
  }
  return Changed(std::move(claim));
}

RandomChange DeviceClusterGenerator::ClassChange(const scheduler::reference::Snapshot& cluster) {
  std::vector<api::DeviceClass> classes = generate::RandomDeviceClasses(random_);
  api::DeviceClass& chosen = classes[random_.Below(classes.size())];
  const auto* known = scheduler::reference::Find(cluster.device_classes, "", chosen.metadata.name);
  const bool remove = known != nullptr && random_.Chance(10);
  // Creation times do not change.
  if (known != nullptr) chosen.metadata.creation_timestamp = known->metadata.creation_timestamp;
  return Changed(remove ? *known : chosen, remove);
}

RandomChange DeviceClusterGenerator::NodeChange(const scheduler::reference::Snapshot& cluster) {
  const size_t number = random_.Below(4);
  api::Node node = NewNode(number);
  const bool known = cluster.nodes.contains({"", node.metadata.name});
  return Changed(std::move(node), known && cluster.nodes.size() > 1 && random_.Chance(30));
}

RandomChange DeviceClusterGenerator::Change(const scheduler::reference::Snapshot& cluster) {
  const uint64_t kind = random_.Below(100);
  if (kind < 45) return SliceChange(cluster);
  if (kind < 80) return ClaimChange(cluster);
  if (kind < 90) return ClassChange(cluster);
  return NodeChange(cluster);
}

}  // namespace berth
