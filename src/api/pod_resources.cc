#include "api/pod_resources.h"

#include <algorithm>
#include <string>

#include "api/selector.h"

namespace berth::api {
namespace {

void AddTo(ResourceList& sum, const ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    const auto [entry, inserted] = sum.try_emplace(name, quantity);
    if (!inserted) entry->second += quantity;
  }
}

void RaiseTo(ResourceList& max, const ResourceList& list) {
  for (const auto& [name, quantity] : list) {
    const auto [entry, inserted] = max.try_emplace(name, quantity);
    if (!inserted && quantity > entry->second) entry->second = quantity;
  }
}

bool IsSidecar(const Container& init_container) {
  return init_container.restart_policy == "Always";
}

bool IsResizeInfeasible(const Pod& pod) {
  const auto pending =
      std::ranges::find(pod.status.conditions, "PodResizePending", &PodCondition::type);
  return pending != pod.status.conditions.end() && pending->reason == "Infeasible";
}

const ContainerStatus* FindStatus(const Pod& pod, std::string_view container) {
  for (const auto* statuses :
       {&pod.status.container_statuses, &pod.status.init_container_statuses}) {
    const auto found = std::ranges::find(*statuses, container, &ContainerStatus::name);
    if (found != statuses->end()) return &*found;
  }
  return nullptr;
}

// Returns the largest of the desired, actuated and allocated requests of a pod that is being
// resized. The desired ones do not count if the resize is infeasible.
ResourceList Effective(const Pod& pod, const ResourceList& spec, const ResourceList& actuated,
                       const ResourceList& allocated) {
  ResourceList effective = actuated;
  RaiseTo(effective, allocated);
  if (!IsResizeInfeasible(pod)) RaiseTo(effective, spec);
  return effective;
}

// Returns a container's requests; considers its status if `use_status`. The result refers to the
// container's spec, or to `storage` if a resize or `non_missing` changes it.
const ResourceList& ContainerRequests(const Pod& pod, const Container& container, bool use_status,
                                      const ResourceList& non_missing, ResourceList& storage) {
  const ResourceList* requests = &container.resources.requests;
  const ContainerStatus* status = use_status ? FindStatus(pod, container.name) : nullptr;
  if (status != nullptr && status->resources) {
    storage = Effective(pod, *requests, status->resources->requests, status->allocated_resources);
    requests = &storage;
  }
  const auto missing = [&](const auto& entry) { return !requests->contains(entry.first); };
  if (std::ranges::any_of(non_missing, missing)) {
    if (requests != &storage) storage = *requests;
    storage.insert(non_missing.begin(), non_missing.end());
    requests = &storage;
  }
  return *requests;
}

// Adds the sidecars to `sum` and raises it to the peak of the init containers.
void ApplyInitContainers(const Pod& pod, const PodRequestOptions& options, ResourceList& sum) {
  ResourceList sidecars;
  ResourceList peak;
  for (const Container& container : pod.spec.init_containers) {
    const bool sidecar = IsSidecar(container);
    ResourceList storage;
    const ResourceList& requests = ContainerRequests(pod, container, sidecar && options.use_status,
                                                     options.non_missing, storage);
    if (sidecar) {
      AddTo(sum, requests);
      AddTo(sidecars, requests);
      RaiseTo(peak, sidecars);
    } else {
      ResourceList needed = requests;
      AddTo(needed, sidecars);
      RaiseTo(peak, needed);
    }
  }
  RaiseTo(sum, peak);
}

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

bool HasPodLevelRequests(const Pod& pod) {
  return pod.spec.resources &&
         std::ranges::any_of(pod.spec.resources->requests,
                             [](const auto& entry) { return IsPodLevelResource(entry.first); });
}

// Replaces the requests that the pod-level ones name, and no others. What the status says about
// another resource is not newer than the containers, and includes the overhead.
void ApplyPodLevel(const Pod& pod, bool use_status, ResourceList& requests) {
  const ResourceList& desired = pod.spec.resources->requests;
  ResourceList resized;
  const ResourceList* effective = &desired;
  if (use_status && pod.status.resources) {
    resized =
        Effective(pod, desired, pod.status.resources->requests, pod.status.allocated_resources);
    effective = &resized;
  }
  for (const auto& [name, quantity] : desired) {
    if (!IsPodLevelResource(name)) continue;
    // An infeasible request that the status does not mention yet counts as zero.
    const auto found = effective->find(name);
    requests.insert_or_assign(name, found == effective->end() ? Quantity() : found->second);
  }
}

bool IsNative(std::string_view name) {
  return !name.contains('/') || name.contains("kubernetes.io/");
}

}  // namespace

ResourceList PodRequests(const Pod& pod, const PodRequestOptions& options) {
  ResourceList requests;
  for (const Container& container : pod.spec.containers) {
    ResourceList storage;
    AddTo(requests,
          ContainerRequests(pod, container, options.use_status, options.non_missing, storage));
  }
  ApplyInitContainers(pod, options, requests);
  if (!options.skip_pod_level && HasPodLevelRequests(pod)) {
    ApplyPodLevel(pod, options.use_status && options.pod_level_resize, requests);
  }
  AddTo(requests, pod.spec.overhead);
  return requests;
}

NonZeroRequest PlacedNonZeroRequest(const Pod& pod, PodRequestOptions options) {
  ResourceList defaults = {{"cpu", Quantity::FromMilli(kDefaultMilliCpu)},
                           {"memory", Quantity::FromValue(kDefaultMemory)}};
  if (!options.skip_pod_level && HasPodLevelRequests(pod)) {
    const ResourceList plain = PodRequests(pod, options);
    std::erase_if(defaults, [&](const auto& entry) { return plain.contains(entry.first); });
  }
  options.non_missing = std::move(defaults);
  const ResourceList requests = PodRequests(pod, options);
  NonZeroRequest result;
  if (const auto cpu = requests.find("cpu"); cpu != requests.end()) {
    result.milli_cpu = std::max<int64_t>(cpu->second.MilliValue(), 0);
  }
  if (const auto memory = requests.find("memory"); memory != requests.end()) {
    result.memory = std::max<int64_t>(memory->second.Value(), 0);
  }
  return result;
}

bool IsExtendedResource(std::string_view name) {
  // The quota system names the resource "requests.NAME", and that must be a valid name too.
  constexpr std::string_view kQuotaPrefix = "requests.";
  if (IsNative(name) || name.starts_with(kQuotaPrefix)) return false;
  return !ValidateQualifiedName(std::string(kQuotaPrefix).append(name));
}

bool IsScalarResource(std::string_view name) {
  return name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
         name.contains("kubernetes.io/") || IsExtendedResource(name);
}

}  // namespace berth::api
