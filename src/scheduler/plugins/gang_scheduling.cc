#include "scheduler/plugins/gang_scheduling.h"

#include <fmt/format.h>

#include "scheduler/framework/cycle.h"
#include "scheduler/framework/waiting_pods.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/plugins/changed_object.h"

namespace berth::scheduler::plugins {
namespace {

constexpr Duration kPermitTimeout = Duration::Seconds(5 * 60);

std::optional<api::ObjectKey> GroupOf(const model::Cluster& cluster, const api::Pod& pod) {
  if (!cluster.features().has_groups()) return std::nullopt;
  return model::GroupNamedBy(pod);
}

}  // namespace

GangScheduling::GangScheduling(const framework::GangSchedulingArgs& args)
    : search_{args.search == "Complete", static_cast<uint64_t>(args.search_budget),
              args.topology_levels} {}

std::vector<framework::ClusterEventWithHint> GangScheduling::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kAdd}},
          {{framework::Resource::kPodGroup, framework::kAdd}}};
}

Result<bool> GangScheduling::QueueingHint(const model::Cluster& cluster,
                                          const model::PodRecord& pod,
                                          const framework::ClusterEvent& event) const {
  const auto group = GroupOf(cluster, *pod.object);
  if (KindOf(event) == framework::Resource::kPodGroup) {
    const auto added = UpdateOf<api::PodGroup>(event);
    if (!added) return std::unexpected(added.error());
    const api::ObjectMeta& metadata = added->after->metadata;
    return group == api::ObjectKey{metadata.namespace_, metadata.name};
  }
  const auto added = UpdateOf<api::Pod>(event);
  if (!added) return std::unexpected(added.error());
  return group.has_value() && group == GroupOf(cluster, *added->after);
}

framework::Verdict GangScheduling::PreEnqueue(const model::Cluster& cluster,
                                              const model::PodRecord& pod) const {
  const auto key = GroupOf(cluster, *pod.object);
  if (!key) return {};
  const api::PodGroup* group = cluster.objects<api::PodGroup>().Find(*key);
  if (group == nullptr) {
    return {framework::Code::kUnschedulableAndUnresolvable,
            fmt::format("waiting for pods's pod group \"{}\" to appear in scheduling queue",
                        key->name)};
  }
  const auto members = static_cast<int64_t>(cluster.groups().Of(*key).size());
  if (!group->min_count || members >= *group->min_count) return {};
  return {framework::Code::kUnschedulableAndUnresolvable,
          "waiting for minCount pods from a gang to appear in scheduling queue"};
}

framework::PermitResult GangScheduling::Permit(framework::Cycle& cycle, model::NodeRow,
                                               framework::WaitingPods& waiting) const {
  const model::Cluster& cluster = cycle.cluster();
  const auto key = GroupOf(cluster, *cycle.pod().object);
  if (!key) return {};
  const api::PodGroup* group = cluster.objects<api::PodGroup>().Find(*key);
  if (group == nullptr) {
    return {framework::Verdict::Error(fmt::format(
                "failed to get podGroup {}: podgroup.scheduling.k8s.io \"{}\" not found",
                key->ToString(), key->name)),
            {}};
  }
  if (!group->min_count) return {};
  const auto& scheduled = cluster.groups().Of(*key).scheduled;
  if (static_cast<int64_t>(scheduled.size()) < *group->min_count) {
    return {framework::Verdict(framework::Code::kWait,
                               "waiting for minCount pods from a gang to be scheduled"),
            kPermitTimeout};
  }
  // Members wait only if a later one failed when the group was committed.
  if (waiting.all().empty()) return {};
  for (model::PodId id : scheduled) waiting.Allow(cluster.pod(id).uid(), name());
  return {};
}

}  // namespace berth::scheduler::plugins
