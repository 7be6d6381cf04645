#include "scheduler/groups/group_cycle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "api/object.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::groups {

std::vector<const model::PodRecord*> GroupCycle::pods() const {
  std::vector<const model::PodRecord*> pods;
  for (const GroupMember& member : members) pods.push_back(member.pod.get());
  return pods;
}

TrialRequest GroupCycle::RequestFor(size_t index, const framework::Placement* placement,
                                    bool post_filters) const {
  return {.pod = *members[index].pod,
          .profile = profile,
          .placement = placement,
          .post_filters = post_filters,
          .explains = explains,
          .is_preview = is_preview};
}

GroupTrial NotPlaced(framework::Verdict verdict) {
  GroupTrial trial;
  trial.verdict = std::move(verdict);
  return trial;
}

void AddReason(std::string reason, framework::Verdict& verdict) {
  std::vector<std::string> reasons = verdict.reasons();
  reasons.push_back(std::move(reason));
  verdict = {framework::Code::kUnschedulable, std::move(reasons)};
}

size_t MissingMembers(const model::Cluster& cluster, const GroupCycle& cycle) {
  const api::PodGroup* group = cluster.objects<api::PodGroup>().Find(cycle.group);
  if (group == nullptr || !group->min_count || *group->min_count < 0) return 1;
  const auto wanted = static_cast<size_t>(*group->min_count);
  const size_t scheduled = cluster.groups().Of(cycle.group).scheduled.size();
  return wanted > scheduled ? wanted - scheduled : 1;
}

bool IsBroken(const model::Cluster& cluster, const api::ObjectKey& key) {
  const api::PodGroup* group = cluster.objects<api::PodGroup>().Find(key);
  if (!cluster.features().has_gangs() || group == nullptr || !group->min_count) return false;
  const size_t scheduled = cluster.groups().Of(key).scheduled.size();
  return static_cast<int64_t>(scheduled) < *group->min_count;
}

std::string DescribeCounts(const model::Cluster& cluster) {
  std::string text =
      fmt::format("{} placed, {} assumed\n", cluster.placed_pods(), cluster.assumed_pods());
  const model::NodeColumns& columns = cluster.nodes().columns();
  for (uint32_t row = 0; row < cluster.nodes().rows(); ++row) {
    const model::NodeInfo& info = cluster.nodes().info(model::NodeRow{row});
    if (!info.name.valid()) continue;
    text += fmt::format("{}: cpu {} memory {} ephemeral {} pods {} nonzero {} {} ports {} holds {}",
                        cluster.symbols().Text(info.name), columns.requested_cpu[row],
                        columns.requested_memory[row], columns.requested_ephemeral[row],
                        columns.pod_count[row], columns.nonzero_cpu[row],
                        columns.nonzero_memory[row], info.used_ports.size(), info.holds);
    for (model::ScalarId id : columns.listed)
      text += fmt::format(" {}={}", cluster.scalars().Text(id), columns.scalar(id)->requested[row]);
    std::set<std::string> pods;
    for (model::PodId id : info.pods) pods.insert(cluster.pod(id).key().ToString());
    text += fmt::format(" [{}]\n", fmt::join(pods, " "));
  }
  std::set<std::string> others;
  cluster.pods().ForEach([&](const model::PodRecord& pod) {
    const bool pending = pod.state == model::PodState::kPending;
    others.insert(fmt::format("{} {}", pod.key().ToString(), pending ? "pending" : "placed"));
    if (const auto group = model::GroupNamedBy(*pod.object)) {
      const model::PodGroups::Members& members = cluster.groups().Of(*group);
      others.insert(fmt::format("{}: {} pending, {} scheduled", group->ToString(),
                                members.pending.size(), members.scheduled.size()));
    }
  });
  return text + fmt::format("{}\n", fmt::join(others, "\n"));
}

}  // namespace berth::scheduler::groups
