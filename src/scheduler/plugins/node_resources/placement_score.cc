#include "scheduler/plugins/node_resources/placement_score.h"

#include <algorithm>
#include <map>
#include <string>

#include "api/pod_resources.h"
#include "base/saturating.h"
#include "scheduler/framework/scored_resource.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::plugins {
namespace {

// Requests as scores count them: of the containers alone, with defaults.
api::ResourceList ScoredRequests(const api::Pod& pod) {
  return api::PodRequests(
      pod, {.skip_pod_level = true,
            .non_missing = {{"cpu", api::Quantity::FromMilli(api::kDefaultMilliCpu)},
                            {"memory", api::Quantity::FromValue(api::kDefaultMemory)}}});
}

int64_t RequestOf(const api::ResourceList& requests, const std::string& resource) {
  const auto found = requests.find(resource);
  return found == requests.end() ? 0 : model::AmountOf(resource, found->second);
}

// Returns what the members request of each resource. Members of one class request the same.
std::vector<int64_t> RequestedBy(const model::Cluster& cluster,
                                 const std::vector<const model::PodRecord*>& members,
                                 const std::vector<framework::ResourceWeight>& resources) {
  std::map<model::PodClassId, int64_t> by_class;
  for (const model::PodRecord* member : members) ++by_class[member->pod_class];
  std::vector<int64_t> requested(resources.size());
  for (const auto& [id, count] : by_class) {
    const api::ResourceList requests = ScoredRequests(cluster.pod_class(id).example);
    for (size_t i = 0; i < resources.size(); ++i) {
      const int64_t all = SaturatingMultiply(RequestOf(requests, resources[i].name), count);
      requested[i] = SaturatingAdd(requested[i], all);
    }
  }
  return requested;
}

}  // namespace

int64_t UtilizationOf(const model::Cluster& cluster,
                      const framework::PlacementAssignments& placement,
                      const std::vector<framework::ResourceWeight>& resources) {
  const std::vector<int64_t> members = RequestedBy(cluster, placement.members, resources);
  int64_t sum = 0, weights = 0;
  for (size_t i = 0; i < resources.size(); ++i) {
    framework::ScoredResource resource;
    resource.kind = framework::ScoredKindOf(resources[i].name);
    resource.request = members[i];
    if (resource.kind == framework::ScoredResource::Kind::kScalar)
      resource.scalar = cluster.scalars().Find(resources[i].name);
    if (!resource.counts()) continue;
    const framework::ResourceColumns columns =
        framework::ColumnsOf(resource, cluster.nodes().columns(), /*nonzero=*/true);
    if (columns.allocatable == nullptr) continue;
    int64_t allocatable = 0, requested = members[i];
    placement.placement->nodes.ForEach([&](size_t row) {
      allocatable = SaturatingAdd(allocatable, columns.allocatable[row]);
      requested = SaturatingAdd(requested, columns.requested[row]);
    });
    if (allocatable <= 0) continue;
    sum += framework::Percent(std::min(requested, allocatable), allocatable) * resources[i].weight;
    weights += resources[i].weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

}  // namespace berth::scheduler::plugins
