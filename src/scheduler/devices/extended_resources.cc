#include "scheduler/devices/extended_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "api/pod_resources.h"

namespace berth::scheduler::devices {
namespace {

std::string ImplicitName(const api::DeviceClass& device_class) {
  return std::string(kDeviceClassPrefix) + device_class.metadata.name;
}

// Reports whether `device_class` does not replace `holder` as the class of a resource.
bool LosesTo(const api::DeviceClass& device_class, const api::DeviceClass& holder) {
  const Instant created = device_class.metadata.creation_timestamp.value_or(Instant{});
  const Instant held_since = holder.metadata.creation_timestamp.value_or(Instant{});
  if (created != held_since) return created < held_since;
  return device_class.metadata.name >= holder.metadata.name;
}

// What one container requests of one resource.
struct ContainerRequest {
  std::optional<api::DeviceRequest> own;  // What it does not get from others.
  std::vector<ExtendedResourceMapping> mappings;
};

ContainerRequest RequestOf(const api::Container& container, size_t index,
                           const std::string& resource, const std::string& class_name,
                           std::span<const std::optional<api::DeviceRequest>> reusable) {
  ContainerRequest result;
  const api::ResourceList& requests = container.resources.requests;
  const auto found = requests.find(resource);
  if (found == requests.end()) return result;
  const int64_t wanted = found->second.AsInt64().value_or(0);
  if (wanted == 0) return result;
  int64_t reused = 0;
  for (const std::optional<api::DeviceRequest>& request : reusable) {
    if (!request) continue;
    reused += request->exactly->count;
    result.mappings.push_back({container.name, resource, request->name});
    if (reused >= wanted) return result;
  }
  api::DeviceRequest own;
  // By the container, and the place of the resource among all that the container requests.
  own.name = fmt::format("container-{}-request-{}", index, std::distance(requests.begin(), found));
  own.exactly.emplace();
  own.exactly->device_class_name = class_name;
  own.exactly->allocation_mode = "ExactCount";
  own.exactly->count = wanted - reused;
  result.mappings.push_back({container.name, resource, own.name});
  result.own = std::move(own);
  return result;
}

// The requests for one resource. Init containers end before the others start, and one after the
// other: they reuse the devices of later containers, and share what they need beyond that.
void AddRequestsFor(const std::string& resource, const std::string& class_name,
                    const std::vector<const api::Container*>& containers, size_t init_containers,
                    SpecialRequests& all) {
  auto ends_early = [&](size_t i) {
    return i < init_containers && containers[i]->restart_policy != "Always";
  };
  std::vector<std::optional<api::DeviceRequest>> long_lived(containers.size());
  for (size_t i = 0; i < containers.size(); ++i) {
    if (ends_early(i)) continue;
    ContainerRequest request = RequestOf(*containers[i], i, resource, class_name, {});
    long_lived[i] = std::move(request.own);
    std::ranges::move(request.mappings, std::back_inserter(all.mappings));
  }
  std::optional<api::DeviceRequest> largest;
  std::set<std::string> names;
  const size_t first_mapping = all.mappings.size();
  for (size_t i = 0; i < containers.size(); ++i) {
    if (!ends_early(i)) continue;
    ContainerRequest request =
        RequestOf(*containers[i], i, resource, class_name, std::span(long_lived).subspan(i));
    std::ranges::move(request.mappings, std::back_inserter(all.mappings));
    if (!request.own) continue;
    names.insert(request.own->name);
    if (!largest || largest->exactly->count < request.own->exactly->count)
      largest = std::move(request.own);
  }
  for (size_t i = first_mapping; i < all.mappings.size(); ++i) {
    if (names.contains(all.mappings[i].request_name)) all.mappings[i].request_name = largest->name;
  }
  if (largest) all.requests.push_back(*std::move(largest));
  for (std::optional<api::DeviceRequest>& request : long_lived) {
    if (request) all.requests.push_back(*std::move(request));
  }
}

}  // namespace

bool IsDeviceResource(std::string_view name) {
  return name.starts_with(kDeviceClassPrefix) || api::IsExtendedResource(name);
}

void ExtendedResources::Put(const ClassRef& before, const ClassRef& after) {
  if (after->extended_resource_name) {
    const auto holder = classes_.find(*after->extended_resource_name);
    if (holder != classes_.end() && LosesTo(*after, *holder->second)) return;
  }
  if (before != nullptr) Remove(before);
  if (after->extended_resource_name)
    classes_.insert_or_assign(*after->extended_resource_name, after);
  classes_.insert_or_assign(ImplicitName(*after), after);
}

void ExtendedResources::Remove(const ClassRef& removed) {
  if (removed->extended_resource_name) classes_.erase(*removed->extended_resource_name);
  classes_.erase(ImplicitName(*removed));
}

const api::DeviceClass* ExtendedResources::Find(std::string_view resource) const {
  const auto found = classes_.find(resource);
  return found == classes_.end() ? nullptr : found->second.get();
}

SpecialRequests MakeSpecialRequests(const api::PodSpec& spec,
                                    const std::vector<std::string>& resources,
                                    const ExtendedResources& classes) {
  std::vector<const api::Container*> containers;
  for (const api::Container& container : spec.init_containers) containers.push_back(&container);
  for (const api::Container& container : spec.containers) containers.push_back(&container);
  SpecialRequests all;
  for (const std::string& resource : resources) {
    const api::DeviceClass* device_class = classes.Find(resource);
    if (device_class == nullptr) continue;
    AddRequestsFor(resource, device_class->metadata.name, containers, spec.init_containers.size(),
                   all);
  }
  std::ranges::stable_sort(all.requests, {}, &api::DeviceRequest::name);
  return all;
}

}  // namespace berth::scheduler::devices
