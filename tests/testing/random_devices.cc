#include "testing/random_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "testing/random_objects.h"

namespace berth {
namespace {

using generate::OneOf;

constexpr const char* kGpuDriver = "gpu.example.com";
constexpr const char* kNicDriver = "nic.example.org";
constexpr const char* kModel = "gpu.example.com/model";
constexpr const char* kGpuResource = "example.com/gpu";
constexpr Instant kLongAgo = Instant::FromUnixSeconds(1'700'000'000);

api::Quantity Units(uint64_t number) {
  return api::Quantity::FromValue(static_cast<int64_t>(number));
}

api::NodeSelector InZone(const std::string& zone) {
  return {.terms = {{.match_expressions = {{.key = "zone", .op = "In", .values = {zone}}},
                     .match_fields = {}}}};
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

std::vector<api::DeviceClass> DeviceClusterGenerator::NewClasses() {
  const auto make = [&](const char* name, std::vector<const char*> selectors) {
    api::DeviceClass made;
    made.metadata.name = name;
    made.metadata.uid = name;
    if (random_.Chance(50))
      made.metadata.creation_timestamp = kLongAgo + Duration::Seconds(random_.Below(3));
    for (const char* selector : selectors) made.selectors.push_back({selector});
    if (random_.Chance(30)) {
      made.config.push_back(
          {.opaque = api::OpaqueDeviceConfiguration{.driver = kGpuDriver, .parameters = {}}});
    }
    return made;
  };
  std::vector<api::DeviceClass> classes = {
      make("any", {}),
      make("gpu", {"device.driver == 'gpu.example.com'"}),
      make("a100", {"device.driver == 'gpu.example.com'",
                    "device.attributes['gpu.example.com'].model == 'a100'"}),
      make("nic", {"device.driver == 'nic.example.org'"}),
  };
  if (random_.Chance(8)) classes.push_back(make("broken", {"device.attributes['none'].x == 1"}));
  if (random_.Chance(50)) classes[1].extended_resource_name = kGpuResource;
  if (random_.Chance(20)) classes[2].extended_resource_name = kGpuResource;
  return classes;
}

api::DeviceCapacity DeviceClusterGenerator::NewCapacity() {
  api::DeviceCapacity capacity{.value = Units(8 + random_.Below(9)), .request_policy = {}};
  if (random_.Chance(40)) return capacity;
  api::CapacityRequestPolicy& policy = capacity.request_policy.emplace();
  policy.default_value = Units(2);
  if (random_.Chance(50)) {
    policy.valid_values = {Units(2), Units(4), Units(7)};
  } else {
    auto& range = policy.valid_range.emplace();
    range.min = Units(2);
    if (random_.Chance(50)) range.max = Units(8);
    if (random_.Chance(50)) range.step = Units(1 + random_.Below(3));
  }
  return capacity;
}

api::Device DeviceClusterGenerator::NewDevice(const std::string& name) {
  api::Device device;
  device.name = name;
  if (random_.Chance(88)) {
    device.attributes["model"].string_value = OneOf(random_, {"a100", "t4", "t4"});
  } else if (random_.Chance(50)) {
    device.attributes["model"].bool_value = true;
  }
  if (random_.Chance(70))
    device.attributes["numa"].int_value = static_cast<int64_t>(random_.Below(2));
  if (random_.Chance(40)) device.capacity["memory"] = NewCapacity();
  if (random_.Chance(15)) device.capacity["slots"] = NewCapacity();
  if (random_.Chance(30)) device.allow_multiple_allocations = random_.Chance(85);
  if (random_.Chance(15)) {
    device.taints.push_back({.key = OneOf(random_, {"bad", "worn"}),
                             .value = OneOf(random_, {"", "yes"}),
                             .effect = OneOf(random_, {"NoSchedule", "NoExecute", "None"}),
                             .time_added = {}});
  }
  if (random_.Chance(4)) {
    device.binding_conditions = {{"ready"}};
    device.binding_failure_conditions = {"failed"};
    device.binds_to_node = random_.Chance(50);
  }
  return device;
}

// Gives the slice counters and lets some of its devices consume them.
void DeviceClusterGenerator::AddCounters(api::ResourceSlice& slice) {
  const uint64_t sets = 1 + random_.Below(2);
  for (uint64_t i = 0; i < sets; ++i) {
    slice.shared_counters.push_back(
        {.name = fmt::format("set-{}", i),
         .counters = {{"cores", {Units(2 + random_.Below(5))}}, {"ram", {Units(10)}}}});
  }
  for (api::Device& device : slice.devices) {
    for (uint64_t i = 0; i < sets; ++i) {
      if (random_.Chance(50)) continue;
      auto& consumption = device.consumes_counters.emplace_back();
      // Rarely one that does not exist.
      consumption.counter_set = fmt::format("set-{}", random_.Chance(2) ? 7 : i);
      consumption.counters["cores"] = {Units(1 + random_.Below(3))};
      if (random_.Chance(30)) consumption.counters["ram"] = {Units(random_.Below(8))};
    }
  }
}

std::vector<api::ResourceSlice> DeviceClusterGenerator::Split(const api::ResourceSlice& whole) {
  std::vector<api::ResourceSlice> slices;
  const auto add = [&](api::ResourceSlice slice) {
    slice.metadata.name = fmt::format("slice-{}-{}", random_.Below(10), next_++);
    slice.metadata.uid = slice.metadata.name;
    slices.push_back(std::move(slice));
  };
  api::ResourceSlice part = whole;
  part.shared_counters.clear();
  part.devices.clear();
  // Slices have counters or devices.
  if (!whole.shared_counters.empty()) {
    api::ResourceSlice counters = whole;
    counters.devices.clear();
    add(counters);
  }
  const size_t middle = random_.Chance(40) ? random_.Below(whole.devices.size() + 1) : 0;
  if (middle > 0) {
    part.devices.assign(whole.devices.begin(),
                        whole.devices.begin() + static_cast<int64_t>(middle));
    add(part);
  }
  part.devices.assign(whole.devices.begin() + static_cast<int64_t>(middle), whole.devices.end());
  if (random_.Chance(3) && !part.devices.empty()) part.devices.push_back(part.devices.front());
  add(part);
  for (api::ResourceSlice& slice : slices) {
    slice.pool.generation = 5;
    slice.pool.resource_slice_count = std::ssize(slices) + (random_.Chance(3) ? 1 : 0);
  }
  // An old generation that is still there, or a new one that is not complete.
  if (random_.Chance(15)) {
    add(part);
    slices.back().pool.generation = random_.Chance(60) ? 4 : 6;
    slices.back().pool.resource_slice_count = static_cast<int64_t>(1 + random_.Below(2));
  }
  return slices;
}

std::vector<api::ResourceSlice> DeviceClusterGenerator::NodePool(const std::string& node) {
  api::ResourceSlice slice;
  slice.driver = random_.Chance(75) ? kGpuDriver : kNicDriver;
  slice.pool.name = node;
  slice.node_name = node;
  const uint64_t devices = random_.Below(6);
  for (uint64_t i = 0; i < devices; ++i)
    slice.devices.push_back(NewDevice(fmt::format("dev-{}", i)));
  if (random_.Chance(30)) AddCounters(slice);
  return Split(slice);
}

std::vector<api::ResourceSlice> DeviceClusterGenerator::SharedPool(size_t number) {
  api::ResourceSlice slice;
  slice.driver = random_.Chance(50) ? kGpuDriver : kNicDriver;
  slice.pool.name = fmt::format("shared-{}", number);
  const uint64_t devices = 1 + random_.Below(4);
  for (uint64_t i = 0; i < devices; ++i)
    slice.devices.push_back(NewDevice(fmt::format("dev-{}", i)));
  switch (random_.Below(3)) {
    case 0:
      slice.all_nodes = true;
      break;
    case 1:
      slice.node_selector = InZone(OneOf(random_, {"a", "b"}));
      break;
    default:
      slice.per_device_node_selection = true;
      for (api::Device& device : slice.devices) {
        switch (random_.Below(3)) {
          case 0:
            device.all_nodes = true;
            break;
          case 1:
            device.node_selector = InZone(OneOf(random_, {"a", "b"}));
            break;
          default:
            device.node_name = fmt::format("node-{}", random_.Below(4));
        }
      }
  }
  if (random_.Chance(30)) AddCounters(slice);
  return Split(slice);
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
      for (auto& slice : NodePool(node.metadata.name)) Put(cluster, std::move(slice));
    }
    Put(cluster, std::move(node));
  }
  const size_t shared = random_.Below(3);
  for (size_t i = 0; i < shared; ++i) {
    for (auto& slice : SharedPool(i)) Put(cluster, std::move(slice));
  }
  for (auto& device_class : NewClasses()) Put(cluster, std::move(device_class));
  const size_t claims = 3 + random_.Below(4);
  for (size_t i = 0; i < claims; ++i) {
    api::ResourceClaim claim = NewClaim(fmt::format("claim-{}", i));
    if (random_.Chance(60) || cluster.resource_slices.empty()) {
      Put(cluster, std::move(claim));
      continue;
    }
    // The API shows some allocations only later.
    const bool shown = random_.Chance(70);
    if (!shown) Put(cluster, claim);
    Allocate(cluster, claim);
    if (shown) {
      Put(cluster, std::move(claim));
    } else if (random_.Chance(50)) {
      const std::string uid = claim.metadata.uid;
      cluster.devices.in_flight[uid] = std::make_shared<const api::ResourceClaim>(std::move(claim));
    } else {
      claim.metadata.resource_version = fmt::format("{}", ++next_);
      const api::ObjectKey key{claim.metadata.namespace_, claim.metadata.name};
      cluster.devices.assumed[key] = std::make_shared<const api::ResourceClaim>(std::move(claim));
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
  if (by_resource && random_.Chance(60)) return pod;
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

}  // namespace berth
