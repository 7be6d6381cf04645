#include "simulation/device_population.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulation/population.h"

namespace berth::simulation {
namespace {

api::ResourceSlice SliceOf(const std::string& node, const char* driver, const char* part,
                           int64_t slices) {
  api::ResourceSlice slice;
  slice.metadata.name = fmt::format("{}-{}-{}", node, driver, part);
  slice.driver = driver;
  slice.pool = {.name = node, .generation = 1, .resource_slice_count = slices};
  slice.node_name = node;
  return slice;
}

api::ResourceSlice GpuSlice(const std::string& node, Random& random) {
  api::ResourceSlice slice = SliceOf(node, kGpuDriver, "devices", 1);
  const uint64_t count = 1 + random.Below(3);
  const bool attached = random.Chance(40);
  for (uint64_t i = 0; i < count; ++i) {
    api::Device& device = slice.devices.emplace_back();
    device.name = fmt::format("gpu-{}", i);
    device.attributes["model"].int_value = static_cast<int64_t>(i % 2);
    device.attributes["place"].int_value = static_cast<int64_t>(i);
    if (!attached) continue;
    device.binding_conditions = {{kReady}};
    device.binding_failure_conditions = {kBroken};
  }
  return slice;
}

// Two halves and two quarters, of which the counter allows three quarters at a time.
void AddSlotSlices(const std::string& node, std::vector<api::ResourceSlice>& slices) {
  const auto quarters = [](int64_t n) {
    return api::Counters{{"quarters", {api::Quantity::FromValue(n)}}};
  };
  api::ResourceSlice counters = SliceOf(node, kSlotDriver, "counters", 2);
  counters.shared_counters.push_back({.name = "board", .counters = quarters(3)});
  slices.push_back(std::move(counters));
  api::ResourceSlice devices = SliceOf(node, kSlotDriver, "devices", 2);
  for (const char* name : {"half-0", "half-1", "quarter-0", "quarter-1"}) {
    api::Device& device = devices.devices.emplace_back();
    device.name = name;
    const int64_t size = std::string_view(name).starts_with("half") ? 2 : 1;
    device.consumes_counters.push_back({.counter_set = "board", .counters = quarters(size)});
  }
  slices.push_back(std::move(devices));
}

api::ResourceSlice LinkSlice(const std::string& node) {
  api::ResourceSlice slice = SliceOf(node, kLinkDriver, "devices", 1);
  api::Device& device = slice.devices.emplace_back();
  device.name = "link-0";
  device.allow_multiple_allocations = true;
  device.capacity["bandwidth"].value = api::Quantity::FromValue(10);
  return slice;
}

}  // namespace

bool UsesDevices(const api::Pod& pod) {
  return !pod.spec.resource_claims.empty() ||
         std::ranges::any_of(pod.spec.containers, [](const api::Container& container) {
           return container.resources.requests.contains(kGpuResource);
         });
}

std::vector<api::DeviceClass> MakeDeviceClasses() {
  std::vector<api::DeviceClass> classes;
  for (const char* driver : {kGpuDriver, kSlotDriver, kLinkDriver}) {
    api::DeviceClass& made = classes.emplace_back();
    made.metadata.name = driver;
    made.selectors.push_back({fmt::format("device.driver == '{}'", driver)});
  }
  classes[0].extended_resource_name = kGpuResource;
  return classes;
}

std::vector<api::ResourceSlice> RandomSlices(const std::string& node, Random& random) {
  std::vector<api::ResourceSlice> slices;
  if (random.Chance(70)) slices.push_back(GpuSlice(node, random));
  if (random.Chance(50)) AddSlotSlices(node, slices);
  if (random.Chance(50)) slices.push_back(LinkSlice(node));
  return slices;
}

namespace {

// Requests that are hard to meet together, most of them in vain: several devices of any kind, with
// attributes that must be equal or different, and alternatives.
void MakeHostile(api::ResourceClaimSpec& spec, Random& random) {
  const uint64_t count = 2 + random.Below(4);
  for (uint64_t i = 0; i < count; ++i) {
    api::DeviceRequest& request = spec.requests.emplace_back();
    request.name = fmt::format("r{}", i);
    api::DeviceSubRequest wanted;
    wanted.allocation_mode = "ExactCount";
    wanted.count = random.Chance(30) ? 2 : 1;
    wanted.device_class_name = random.Chance(70) ? kGpuDriver : kSlotDriver;
    if (random.Chance(25)) {
      wanted.name = "many";
      request.first_available = {wanted, wanted};
      request.first_available[0].count += 2;
      request.first_available[1].name = "few";
    } else {
      request.exactly = wanted;
    }
  }
  const uint64_t constraints = random.Below(4);
  for (uint64_t i = 0; i < constraints; ++i) {
    api::DeviceConstraint& constraint = spec.constraints.emplace_back();
    const std::string attribute =
        fmt::format("{}/{}", kGpuDriver, random.Chance(50) ? "model" : "place");
    (random.Chance(50) ? constraint.match_attribute : constraint.distinct_attribute) = attribute;
    // Devices of the other driver have none of them.
    for (const api::DeviceRequest& request : spec.requests) {
      const api::DeviceSubRequest& wanted =
          request.exactly ? *request.exactly : request.first_available[0];
      if (wanted.device_class_name == kGpuDriver) constraint.requests.push_back(request.name);
    }
    if (constraint.requests.empty()) spec.constraints.pop_back();
  }
}

}  // namespace

api::ResourceClaim RandomDeviceClaim(std::string name, Random& random) {
  api::ResourceClaim claim;
  claim.metadata.name = std::move(name);
  claim.metadata.namespace_ = kNamespace;
  if (random.Chance(10)) {
    MakeHostile(claim.spec, random);
    return claim;
  }
  api::DeviceRequest& request = claim.spec.requests.emplace_back();
  request.name = "some";
  api::DeviceSubRequest& exactly = request.exactly.emplace();
  exactly.allocation_mode = "ExactCount";
  exactly.count = random.Chance(30) ? 2 : 1;
  const uint64_t kind = random.Below(100);
  exactly.device_class_name = kind < 50 ? kGpuDriver : kind < 75 ? kSlotDriver : kLinkDriver;
  if (exactly.device_class_name == kLinkDriver) {
    exactly.count = 1;
    exactly.capacity_requests = api::QuantityMap{
        {"bandwidth", api::Quantity::FromValue(static_cast<int64_t>(2 + random.Below(5)))}};
  }
  return claim;
}

}  // namespace berth::simulation
