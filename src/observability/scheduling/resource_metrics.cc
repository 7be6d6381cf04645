#include "observability/scheduling/resource_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/pod_resources.h"
#include "observability/metric_registry.h"

namespace berth::observability::scheduling {
namespace {

std::string_view UnitOf(std::string_view resource) {
  if (resource == "cpu") return "cores";
  if (resource == "memory" || resource == "storage" || resource == "ephemeral-storage" ||
      resource.starts_with("hugepages-")) {
    return "bytes";
  }
  return resource.starts_with("attachable-volumes-") ? "integer" : "";
}

void CopyLimits(const std::vector<api::Container>& from, std::vector<api::Container>& to) {
  for (const api::Container& container : from) {
    api::Container& limited = to.emplace_back();
    limited.restart_policy = container.restart_policy;
    limited.resources.requests = container.resources.limits;
  }
}

// Limits are summed as requests are, but overhead is added only to resources that have a limit.
api::ResourceList PodLimits(const api::Pod& pod) {
  api::Pod as_requests;  // Has the pod's limits as requests.
  CopyLimits(pod.spec.containers, as_requests.spec.containers);
  CopyLimits(pod.spec.init_containers, as_requests.spec.init_containers);
  if (pod.spec.resources)
    as_requests.spec.resources.emplace().requests = pod.spec.resources->limits;
  api::ResourceList limits = api::PodRequests(as_requests, {});
  for (const auto& [name, quantity] : pod.spec.overhead) {
    if (const auto found = limits.find(name); found != limits.end()) found->second += quantity;
  }
  return limits;
}

void AppendPod(std::string& out, std::string_view metric, const api::Pod& pod,
               const api::ResourceList& resources) {
  const std::string priority = pod.spec.priority ? fmt::format("{}", *pod.spec.priority) : "";
  for (const auto& [name, quantity] : resources) {
    if (quantity.IsZero()) continue;
    const std::array<std::pair<std::string_view, std::string_view>, 7> labels = {
        {{"namespace", pod.metadata.namespace_},
         {"node", pod.spec.node_name},
         {"pod", pod.metadata.name},
         {"priority", priority},
         {"resource", name},
         {"scheduler", pod.spec.scheduler_name},
         {"unit", UnitOf(name)}}};
    const double value = name == "cpu" ? static_cast<double>(quantity.MilliValue()) / 1000
                                       : static_cast<double>(quantity.Value());
    AppendSample(out, metric, labels, value);
  }
}

void AppendFamily(std::string& out, PodRefs pods, std::string name, std::string help,
                  auto&& resources_of) {
  const MetricSpec spec{
      .name = std::move(name), .help = std::move(help), .stability = Stability::kStable};
  AppendMetricHead(out, spec, MetricType::kGauge);
  for (const auto& pod : pods) {
    const bool ended = !pod->spec.node_name.empty() && pod->finished();
    if (!ended) AppendPod(out, spec.name, *pod, resources_of(*pod));
  }
}

}  // namespace

bool PodSlices::Read(const scheduler::model::Cluster& cluster, size_t limit,
                     std::vector<std::shared_ptr<const api::Pod>>& out) {
  const scheduler::model::PodTable& pods = cluster.pods();
  if (!end_) {
    end_ = static_cast<uint32_t>(pods.id_end());
    out.reserve(out.size() + pods.size());
  }
  // Ids without a pod cost little, but there may be many.
  const size_t last = next_ + limit * kIdsPerPod;
  for (; next_ < std::min<size_t>(*end_, last) && limit > 0; ++next_) {
    const scheduler::model::PodId id{next_};
    if (!pods.Contains(id)) continue;
    out.push_back(pods.Get(id).object);
    --limit;
  }
  return next_ < *end_;
}

std::string ResourceMetricsText(PodRefs pods) {
  std::string out;
  AppendFamily(out, pods, "kube_pod_resource_limit",
               "The limit of each pod for a resource, with the resource's unit if it has "
               "one.",
               PodLimits);
  AppendFamily(out, pods, "kube_pod_resource_request",
               "The request of each pod for a resource, as the scheduler counts it, with the "
               "resource's unit if it has one.",
               [](const api::Pod& pod) { return api::PodRequests(pod, {}); });
  return out;
}

}  // namespace berth::observability::scheduling
