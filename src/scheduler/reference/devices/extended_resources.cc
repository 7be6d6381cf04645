#include "scheduler/reference/devices/extended_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "api/pod_resources.h"

namespace berth::scheduler::reference {
namespace {

constexpr std::string_view kImplicitPrefix = "deviceclass.resource.kubernetes.io/";
constexpr std::string_view kSpecialClaimAnnotation =
    "resource.kubernetes.io/extended-resource-claim";

// The newest class wins; of equally old ones, the one with the smallest name.
bool Wins(const api::DeviceClass& added, const api::DeviceClass& holder) {
  const auto& a = added.metadata;
  const auto& b = holder.metadata;
  if (a.creation_timestamp != b.creation_timestamp)
    return a.creation_timestamp > b.creation_timestamp;
  return a.name < b.name;
}

// A class that does not get its name does not get its implicit name, either.
void AddClass(const api::Ref<api::DeviceClass>& added, ClassByResource& classes) {
  const auto& explicit_name = added->extended_resource_name;
  if (explicit_name) {
    const auto holder = classes.find(*explicit_name);
    if (holder != classes.end() && !Wins(*added, *holder->second)) return;
    classes[*explicit_name] = added;
  }
  classes[std::string(kImplicitPrefix) + added->metadata.name] = added;
}

// A container of the pod, by its index among init containers and containers.
struct IndexedContainer {
  const api::Container* container = nullptr;
  size_t index = 0;
  bool long_lived = false;
};

std::vector<IndexedContainer> ContainersOf(const api::Pod& pod) {
  std::vector<IndexedContainer> containers;
  for (const api::Container& container : pod.spec.init_containers)
    containers.push_back({&container, containers.size(), container.restart_policy == "Always"});
  for (const api::Container& container : pod.spec.containers)
    containers.push_back({&container, containers.size(), true});
  return containers;
}

// Returns how much of the resource the container requests; 0 unless it is a whole number.
int64_t WholeAmountOf(const IndexedContainer& indexed, const std::string& resource) {
  const api::ResourceList& requests = indexed.container->resources.requests;
  const auto found = requests.find(resource);
  return found == requests.end() ? 0 : found->second.AsInt64().value_or(0);
}

api::DeviceRequest MakeRequest(const IndexedContainer& indexed, const std::string& resource,
                               const api::DeviceClass& device_class, int64_t count) {
  const api::ResourceList& requests = indexed.container->resources.requests;
  const auto position = std::distance(requests.begin(), requests.find(resource));
  api::DeviceRequest request;
  request.name = fmt::format("container-{}-request-{}", indexed.index, position);
  request.exactly.emplace();
  request.exactly->device_class_name = device_class.metadata.name;
  request.exactly->allocation_mode = "ExactCount";
  request.exactly->count = count;
  return request;
}

// Returns how many devices an init container that ends needs beyond those of the containers that
// run after it.
int64_t Extra(const IndexedContainer& indexed, const std::string& resource,
              const std::vector<IndexedContainer>& containers) {
  int64_t missing = WholeAmountOf(indexed, resource);
  for (const IndexedContainer& other : containers) {
    if (missing <= 0) break;
    if (other.long_lived && other.index >= indexed.index) missing -= WholeAmountOf(other, resource);
  }
  return std::max<int64_t>(missing, 0);
}

}  // namespace

ClassByResource ClassesByResource(const Snapshot& snapshot, const model::Features& features) {
  if (!features.dra_extended_resource) return {};
  if (snapshot.devices.class_by_resource) return *snapshot.devices.class_by_resource;
  ClassByResource classes;
  for (const auto& [key, device_class] : snapshot.device_classes) AddClass(device_class, classes);
  return classes;
}

bool MayBeBackedByClass(std::string_view resource) {
  return api::IsExtendedResource(resource) || resource.starts_with(kImplicitPrefix);
}

const api::ResourceClaim* FindSpecialClaim(const Snapshot& snapshot, const api::Pod& pod) {
  for (const auto& [key, claim] : snapshot.resource_claims) {
    const std::string* annotation = Find(claim->metadata.annotations, kSpecialClaimAnnotation);
    if (annotation == nullptr || *annotation != "true") continue;
    const bool owned =
        std::ranges::any_of(claim->metadata.owner_references, [&](const auto& owner) {
          return owner.name == pod.metadata.name && owner.uid == pod.metadata.uid &&
                 owner.controller.value_or(false);
        });
    if (owned) return claim.get();
  }
  return nullptr;
}

api::ResourceClaim MakeSpecialClaim(const api::Pod& pod) {
  api::ResourceClaim claim;
  claim.metadata.namespace_ = pod.metadata.namespace_;
  claim.metadata.name = kSpecialClaimName;
  claim.metadata.uid = fmt::format("{} of {}", kSpecialClaimName, pod.metadata.uid);
  claim.metadata.annotations[std::string(kSpecialClaimAnnotation)] = "true";
  claim.metadata.owner_references.push_back(
      {"v1", "Pod", pod.metadata.name, pod.metadata.uid, true});
  return claim;
}

std::vector<api::DeviceRequest> RequestsOfSpecialClaim(const api::Pod& pod,
                                                       const std::set<std::string>& resources,
                                                       const ClassByResource& classes) {
  const std::vector<IndexedContainer> containers = ContainersOf(pod);
  std::vector<api::DeviceRequest> requests;
  for (const std::string& resource : resources) {
    const api::DeviceClass& device_class = *classes.at(resource);
    std::optional<api::DeviceRequest> largest_extra;  // Init containers run one after another.
    for (const IndexedContainer& indexed : containers) {
      const int64_t count = indexed.long_lived ? WholeAmountOf(indexed, resource)
                                               : Extra(indexed, resource, containers);
      if (count == 0) continue;
      api::DeviceRequest request = MakeRequest(indexed, resource, device_class, count);
      if (indexed.long_lived) {
        requests.push_back(std::move(request));
      } else if (!largest_extra || largest_extra->exactly->count < count) {
        largest_extra = std::move(request);
      }
    }
    if (largest_extra) requests.push_back(*std::move(largest_extra));
  }
  std::ranges::sort(requests, {}, &api::DeviceRequest::name);
  return requests;
}

}  // namespace berth::scheduler::reference
