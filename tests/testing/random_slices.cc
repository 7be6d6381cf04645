#include "testing/random_slices.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "testing/random_objects.h"

namespace berth::generate {
namespace {

constexpr const char* kNicDriver = "nic.example.org";
constexpr Instant kLongAgo = Instant::FromUnixSeconds(1'700'000'000);

api::Quantity Units(uint64_t number) {
  return api::Quantity::FromValue(static_cast<int64_t>(number));
}

api::DeviceCapacity RandomDeviceCapacity(Random& random) {
  api::DeviceCapacity capacity{.value = Units(8 + random.Below(9)), .request_policy = {}};
  if (random.Chance(40)) return capacity;
  api::CapacityRequestPolicy& policy = capacity.request_policy.emplace();
  policy.default_value = Units(2);
  if (random.Chance(50)) {
    policy.valid_values = {Units(2), Units(4), Units(7)};
  } else {
    auto& range = policy.valid_range.emplace();
    range.min = Units(2);
    if (random.Chance(50)) range.max = Units(8);
    if (random.Chance(50)) range.step = Units(1 + random.Below(3));
  }
  return capacity;
}

// Gives the slice counters and lets some of its devices consume them.
void AddCounters(Random& random, api::ResourceSlice& slice) {
  const uint64_t sets = 1 + random.Below(2);
  for (uint64_t i = 0; i < sets; ++i) {
    slice.shared_counters.push_back(
        {.name = fmt::format("set-{}", i),
         .counters = {{"cores", {Units(2 + random.Below(5))}}, {"ram", {Units(10)}}}});
  }
  for (api::Device& device : slice.devices) {
    for (uint64_t i = 0; i < sets; ++i) {
      if (random.Chance(50)) continue;
      auto& consumption = device.consumes_counters.emplace_back();
      // Rarely one that does not exist.
      consumption.counter_set = fmt::format("set-{}", random.Chance(2) ? 7 : i);
      consumption.counters["cores"] = {Units(1 + random.Below(3))};
      if (random.Chance(30)) consumption.counters["ram"] = {Units(random.Below(8))};
    }
  }
}

// Splits devices among slices, and damages some pools.
std::vector<api::ResourceSlice> Split(Random& random, const api::ResourceSlice& whole,
                                      uint64_t& next) {
  std::vector<api::ResourceSlice> slices;
  const auto add = [&](api::ResourceSlice slice) {
    slice.metadata.name = fmt::format("slice-{}-{}", random.Below(10), next++);
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
  const size_t middle = random.Chance(40) ? random.Below(whole.devices.size() + 1) : 0;
  if (middle > 0) {
    part.devices.assign(whole.devices.begin(),
                        whole.devices.begin() + static_cast<int64_t>(middle));
    add(part);
  }
  part.devices.assign(whole.devices.begin() + static_cast<int64_t>(middle), whole.devices.end());
  if (random.Chance(3) && !part.devices.empty()) part.devices.push_back(part.devices.front());
  add(part);
  for (api::ResourceSlice& slice : slices) {
    slice.pool.generation = 5;
    slice.pool.resource_slice_count = std::ssize(slices) + (random.Chance(3) ? 1 : 0);
  }
  // An old generation that is still there, or a new one that is not complete.
  if (random.Chance(15)) {
    add(part);
    slices.back().pool.generation = random.Chance(60) ? 4 : 6;
    slices.back().pool.resource_slice_count = static_cast<int64_t>(1 + random.Below(2));
  }
  return slices;
}

}  // namespace

api::NodeSelector InZone(const std::string& zone) {
  return {.terms = {{.match_expressions = {{.key = "zone", .op = "In", .values = {zone}}},
                     .match_fields = {}}}};
}

std::vector<api::DeviceClass> RandomDeviceClasses(Random& random) {
  const auto make = [&](const char* name, std::vector<const char*> selectors) {
    api::DeviceClass made;
    made.metadata.name = name;
    made.metadata.uid = name;
    if (random.Chance(50))
      made.metadata.creation_timestamp = kLongAgo + Duration::Seconds(random.Below(3));
    for (const char* selector : selectors) made.selectors.push_back({selector});
    if (random.Chance(30)) {
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
  if (random.Chance(8)) classes.push_back(make("broken", {"device.attributes['none'].x == 1"}));
  if (random.Chance(50)) classes[1].extended_resource_name = kGpuResource;
  if (random.Chance(20)) classes[2].extended_resource_name = kGpuResource;
  return classes;
}

api::Device RandomDevice(Random& random, const std::string& name) {
  api::Device device;
  device.name = name;
  if (random.Chance(88)) {
    device.attributes["model"].string_value = OneOf(random, {"a100", "t4", "t4"});
  } else if (random.Chance(50)) {
    device.attributes["model"].bool_value = true;
  }
  if (random.Chance(70))
    device.attributes["numa"].int_value = static_cast<int64_t>(random.Below(2));
  if (random.Chance(40)) device.capacity["memory"] = RandomDeviceCapacity(random);
  if (random.Chance(15)) device.capacity["slots"] = RandomDeviceCapacity(random);
  if (random.Chance(30)) device.allow_multiple_allocations = random.Chance(85);
  if (random.Chance(15)) {
    device.taints.push_back({.key = OneOf(random, {"bad", "worn"}),
                             .value = OneOf(random, {"", "yes"}),
                             .effect = OneOf(random, {"NoSchedule", "NoExecute", "None"}),
                             .time_added = {}});
  }
  if (random.Chance(4)) {
    device.binding_conditions = {{"ready"}};
    device.binding_failure_conditions = {"failed"};
    device.binds_to_node = random.Chance(50);
  }
  return device;
}

std::vector<api::ResourceSlice> RandomNodePool(Random& random, const std::string& node,
                                               uint64_t& next) {
  api::ResourceSlice slice;
  slice.driver = random.Chance(75) ? kGpuDriver : kNicDriver;
  slice.pool.name = node;
  slice.node_name = node;
  const uint64_t devices = random.Below(6);
  for (uint64_t i = 0; i < devices; ++i)
    slice.devices.push_back(RandomDevice(random, fmt::format("dev-{}", i)));
  if (random.Chance(30)) AddCounters(random, slice);
  return Split(random, slice, next);
}

std::vector<api::ResourceSlice> RandomSharedPool(Random& random, size_t number, uint64_t& next) {
  api::ResourceSlice slice;
  slice.driver = random.Chance(50) ? kGpuDriver : kNicDriver;
  slice.pool.name = fmt::format("shared-{}", number);
  const uint64_t devices = 1 + random.Below(4);
  for (uint64_t i = 0; i < devices; ++i)
    slice.devices.push_back(RandomDevice(random, fmt::format("dev-{}", i)));
  switch (random.Below(3)) {
    case 0:
      slice.all_nodes = true;
      break;
    case 1:
      slice.node_selector = InZone(OneOf(random, {"a", "b"}));
      break;
    default:
      slice.per_device_node_selection = true;
      for (api::Device& device : slice.devices) {
        switch (random.Below(3)) {
          case 0:
            device.all_nodes = true;
            break;
          case 1:
            device.node_selector = InZone(OneOf(random, {"a", "b"}));
            break;
          default:
            device.node_name = fmt::format("node-{}", random.Below(4));
        }
      }
  }
  if (random.Chance(30)) AddCounters(random, slice);
  return Split(random, slice, next);
}

}  // namespace berth::generate
