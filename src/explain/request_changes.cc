#include "explain/request_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "api/json/writer.h"
#include "api/pod_resources.h"
#include "explain/pod_changes.h"
#include "scheduler/model/resources.h"

namespace berth::explain {
namespace {

using scheduler::model::AmountOf;

api::Quantity QuantityOf(std::string_view resource, int64_t amount, api::Quantity::Format format) {
  return resource == "cpu" ? api::Quantity::FromMilli(amount, format)
                           : api::Quantity::FromValue(amount, format);
}

int64_t RequestOf(const api::ResourceList& requests, std::string_view resource) {
  const auto found = requests.find(resource);
  return found == requests.end() ? 0 : AmountOf(resource, found->second);
}

// Resources of which the limit must equal the request.
bool IsExact(std::string_view resource) {
  return api::IsExtendedResource(resource) || resource.starts_with("hugepages-");
}

void SetRequest(api::ResourceRequirements& resources, std::string_view resource, int64_t amount) {
  const auto request = resources.requests.find(resource);
  if (request == resources.requests.end()) return;
  request->second = QuantityOf(resource, amount, request->second.format());
  if (!IsExact(resource)) return;
  if (const auto limit = resources.limits.find(resource); limit != resources.limits.end()) {
    limit->second = request->second;
  }
}

bool IsSidecar(const api::Container& container) { return container.restart_policy == "Always"; }

// Lowers the requests of `containers`, the largest first, until their sum is `budget` or less.
void Drain(std::vector<api::Container*> containers, std::string_view resource, int64_t budget) {
  const auto request_of = [&](const api::Container* container) {
    return RequestOf(container->resources.requests, resource);
  };
  int64_t sum = 0;
  for (const api::Container* container : containers) sum += request_of(container);
  std::ranges::stable_sort(containers, std::greater<>(), request_of);
  for (api::Container* container : containers) {
    if (sum <= budget) return;
    const int64_t request = request_of(container);
    const int64_t less = std::min(request, sum - budget);
    SetRequest(container->resources, resource, request - less);
    sum -= less;
  }
}

// Sidecars are drained after the containers: the pod is there for those.
void DrainPod(api::PodSpec& spec, std::string_view resource, int64_t budget) {
  std::vector<api::Container*> containers, sidecars;
  for (api::Container& container : spec.containers) containers.push_back(&container);
  for (api::Container& container : spec.init_containers) {
    if (IsSidecar(container)) sidecars.push_back(&container);
  }
  int64_t of_sidecars = 0;
  for (const api::Container* sidecar : sidecars) {
    of_sidecars += RequestOf(sidecar->resources.requests, resource);
  }
  Drain(containers, resource, std::max<int64_t>(0, budget - of_sidecars));
  Drain(sidecars, resource, budget);
  // An init container runs beside the sidecars before it.
  int64_t beside = 0;
  for (api::Container& container : spec.init_containers) {
    if (IsSidecar(container)) {
      beside += RequestOf(container.resources.requests, resource);
    } else {
      Drain({&container}, resource, std::max<int64_t>(0, budget - beside));
    }
  }
}

// Appends the operations that make the requests of `before` those of `after`.
void AddPatch(const api::ResourceRequirements& before, const api::ResourceRequirements& after,
              const std::vector<std::string>& path, const std::string& resource,
              std::vector<PatchOperation>& patch) {
  const auto add = [&](const std::string& field, const api::ResourceList& from,
                       const api::ResourceList& to) {
    const auto old = from.find(resource);
    const auto now = to.find(resource);
    if (old == from.end() || now == to.end() || old->second == now->second) return;
    std::vector<std::string> full = path;
    full.insert(full.end(), {field, resource});
    patch.push_back({"add", PatchPath(full), api::JsonQuoted(now->second.ToString())});
  };
  add("requests", before.requests, after.requests);
  add("limits", before.limits, after.limits);
}

std::vector<PatchOperation> PatchOf(const api::Pod& before, const api::Pod& after,
                                    const std::string& resource) {
  std::vector<PatchOperation> patch;
  if (before.spec.resources) {
    AddPatch(*before.spec.resources, *after.spec.resources, {"spec", "resources"}, resource, patch);
  }
  const auto add_all = [&](const char* list, const std::vector<api::Container>& from,
                           const std::vector<api::Container>& to) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i].resources == to[i].resources) continue;
      const std::string number = std::to_string(i);
      patch.push_back(
          {"test", PatchPath({"spec", list, number, "name"}), api::JsonQuoted(from[i].name)});
      AddPatch(from[i].resources, to[i].resources, {"spec", list, number, "resources"}, resource,
               patch);
    }
  };
  add_all("initContainers", before.spec.init_containers, after.spec.init_containers);
  add_all("containers", before.spec.containers, after.spec.containers);
  return patch;
}

}  // namespace

std::string TextOfAmount(std::string_view resource, int64_t amount) {
  const bool bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return QuantityOf(resource, amount,
                    bytes ? api::Quantity::Format::kBinarySI : api::Quantity::Format::kDecimalSI)
      .ToString();
}

api::ResourceList RequestsOf(const scheduler::model::Cluster& cluster, const api::Pod& pod) {
  return api::PodRequests(pod, scheduler::model::NewPodRequests(cluster.features()));
}

std::vector<Shortage> ShortagesOf(const scheduler::model::Cluster& cluster,
                                  const api::ResourceList& requests,
                                  scheduler::model::NodeRow row) {
  const scheduler::model::NodeColumns& columns = cluster.nodes().columns();
  const size_t r = row.index();
  std::vector<Shortage> shortages;
  const auto consider = [&](const std::string& resource, int64_t free) {
    const int64_t requested = RequestOf(requests, resource);
    if (requested <= 0 || requested <= free) return;
    shortages.push_back({resource, requested, std::max<int64_t>(free, 0)});
  };
  consider("cpu", columns.allocatable_cpu[r] - columns.requested_cpu[r]);
  consider("memory", columns.allocatable_memory[r] - columns.requested_memory[r]);
  consider("ephemeral-storage", columns.allocatable_ephemeral[r] - columns.requested_ephemeral[r]);
  for (const auto& [resource, quantity] : requests) {
    if (!api::IsScalarResource(resource)) continue;
    const scheduler::model::ScalarId id = cluster.scalars().Find(resource);
    const auto* column = id.valid() ? columns.scalar(id) : nullptr;
    consider(resource, column == nullptr ? 0 : column->allocatable[r] - column->requested[r]);
  }
  return shortages;
}

void LowerRequest(api::Pod& pod, std::string_view resource, int64_t target) {
  const int64_t budget = std::max<int64_t>(0, target - RequestOf(pod.spec.overhead, resource));
  if (pod.spec.resources) {
    const int64_t request = RequestOf(pod.spec.resources->requests, resource);
    SetRequest(*pod.spec.resources, resource, std::min(request, budget));
  }
  DrainPod(pod.spec, resource, budget);
}

std::vector<Change> RequestChanges(const Obstacle& obstacle) {
  const auto shortages =
      ShortagesOf(obstacle.cluster, RequestsOf(obstacle.cluster, obstacle.pod), obstacle.row);
  if (shortages.empty()) return {};
  const Shortage& first = shortages.front();
  // With next to nothing the program would not run.
  if (first.free < LeastOf(first.requested)) return {};
  return {LowerRequestTo(obstacle.pod, first.resource, first.requested, first.free)};
}

Change LowerRequestTo(const api::Pod& pod, const std::string& resource, int64_t requested,
                      int64_t target) {
  Change change =
      MakeChange(ChangeKind::kLowerRequest, NameOfPod(pod), "request " + resource,
                 fmt::format("lower the {} request from {} to {}", resource,
                             TextOfAmount(resource, requested), TextOfAmount(resource, target)));
  change.amount = Shortage{resource, requested, target}.part();
  change.edit_pod = [resource, target](api::Pod& edited) {
    LowerRequest(edited, resource, target);
  };
  api::Pod lowered = pod;
  LowerRequest(lowered, resource, target);
  change.patch = PatchOf(pod, lowered, resource);
  return change;
}

}  // namespace berth::explain
