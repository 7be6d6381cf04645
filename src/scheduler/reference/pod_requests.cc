#include "scheduler/reference/pod_requests.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace berth::scheduler::reference {
namespace {

// Absent if nothing mentions the resource; that differs from a request of zero.
using Request = std::optional<api::Quantity>;

Request Sum(const Request& a, const Request& b) {
  if (!a || !b) return a ? a : b;
  api::Quantity sum = *a;
  sum += *b;
  return sum;
}

Request Max(const Request& a, const Request& b) {
  if (!a || !b) return a ? a : b;
  return *a < *b ? b : a;
}

bool MayBePodLevel(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

bool HasPodLevelRequests(const api::Pod& pod) {
  if (!pod.spec.resources) return false;
  const api::ResourceList& requests = pod.spec.resources->requests;
  return std::ranges::any_of(requests, [](const auto& item) { return MayBePodLevel(item.first); });
}

// The request of one pod for one resource.
class OneResource {
 public:
  OneResource(const api::Pod& pod, std::string_view name, const RequestOptions& options)
      : pod_(pod), name_(name), options_(options) {}

  Request Total() const {
    const Request pod_level = PodLevel();
    return Sum(pod_level ? pod_level : OfContainers(), In(pod_.spec.overhead));
  }

 private:
  Request In(const api::ResourceList& list) const {
    const auto found = list.find(name_);
    return found == list.end() ? Request() : found->second;
  }

  // What counts during a resize: the largest of what is desired, in effect and allocated.
  Request DuringResize(const Request& desired, const api::ResourceList& in_effect,
                       const api::ResourceList& allocated) const {
    const Request current = Max(In(in_effect), In(allocated));
    return ResizeIsInfeasible() ? current : Max(desired, current);
  }

  bool ResizeIsInfeasible() const {
    for (const api::PodCondition& condition : pod_.status.conditions) {
      if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
    }
    return false;
  }

  // Absent if the pod-level requests do not name the resource.
  Request PodLevel() const {
    if (options_.skip_pod_level || !pod_.spec.resources || !MayBePodLevel(name_)) return {};
    Request desired = In(pod_.spec.resources->requests);
    const bool resizable = options_.use_status && options_.resize_pod_level;
    if (!desired || !resizable || !pod_.status.resources) return desired;
    return DuringResize(desired, pod_.status.resources->requests, pod_.status.allocated_resources)
        .value_or(api::Quantity());
  }

  const api::ContainerStatus* StatusOf(const std::string& container) const {
    for (const auto* list :
         {&pod_.status.container_statuses, &pod_.status.init_container_statuses}) {
      for (const api::ContainerStatus& status : *list) {
        if (status.name == container) return &status;
      }
    }
    return nullptr;
  }

  // Only containers that run as long as the pod are resized.
  Request Of(const api::Container& container, bool runs_on) const {
    Request request = In(container.resources.requests);
    const bool use_status = options_.use_status && runs_on;
    const api::ContainerStatus* status = use_status ? StatusOf(container.name) : nullptr;
    if (status != nullptr && status->resources)
      request = DuringResize(request, status->resources->requests, status->allocated_resources);
    return request ? request : In(options_.defaults);
  }

  // The most that is needed at any moment: while an init container runs beside the sidecars before
  // it, or later, while all sidecars and containers run.
  Request OfContainers() const {
    Request sidecars;
    Request most;
    for (const api::Container& container : pod_.spec.init_containers) {
      const bool sidecar = container.restart_policy == "Always";
      const Request now = Sum(sidecars, Of(container, sidecar));
      most = Max(most, now);
      if (sidecar) sidecars = now;
    }
    Request running = sidecars;
    for (const api::Container& container : pod_.spec.containers)
      running = Sum(running, Of(container, true));
    return Max(most, running);
  }

  const api::Pod& pod_;
  const std::string_view name_;
  const RequestOptions& options_;
};

// Returns every resource that the pod mentions anywhere.
std::set<std::string> NamesIn(const api::Pod& pod, const RequestOptions& options) {
  std::set<std::string> names;
  auto add = [&](const api::ResourceList& list) {
    for (const auto& [name, quantity] : list) names.insert(name);
  };
  auto add_status = [&](const std::optional<api::ResourceRequirements>& in_effect,
                        const api::ResourceList& allocated) {
    if (in_effect) add(in_effect->requests);
    add(allocated);
  };
  for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
    for (const api::Container& container : *containers) add(container.resources.requests);
  }
  for (const auto* list : {&pod.status.container_statuses, &pod.status.init_container_statuses}) {
    for (const auto& status : *list) add_status(status.resources, status.allocated_resources);
  }
  if (pod.spec.resources) add(pod.spec.resources->requests);
  add_status(pod.status.resources, pod.status.allocated_resources);
  add(pod.spec.overhead);
  add(options.defaults);
  return names;
}

}  // namespace

api::ResourceList RequestsOf(const api::Pod& pod, const RequestOptions& options) {
  api::ResourceList requests;
  for (const std::string& name : NamesIn(pod, options)) {
    if (const Request request = OneResource(pod, name, options).Total()) requests[name] = *request;
  }
  return requests;
}

RequestOptions PlacedRequests(const model::Features& features) {
  RequestOptions options{.use_status = true};
  if (!features.pod_level_resources) options.skip_pod_level = true;
  if (!features.in_place_pod_level_resources_vertical_scaling) options.resize_pod_level = false;
  return options;
}

api::ResourceList NonZeroRequestsOf(const api::Pod& pod, const model::Features& features) {
  RequestOptions options = PlacedRequests(features);
  options.defaults = DefaultRequests();
  if (features.pod_level_resources && HasPodLevelRequests(pod)) {
    const api::ResourceList said = RequestsOf(pod, PlacedRequests(features));
    std::erase_if(options.defaults, [&](const auto& item) { return said.contains(item.first); });
  }
  return RequestsOf(pod, options);
}

api::ResourceList DefaultRequests() {
  return {{"cpu", api::Quantity::FromMilli(100)},
          {"memory", api::Quantity::FromValue(200 * 1024 * 1024)}};
}

}  // namespace berth::scheduler::reference
