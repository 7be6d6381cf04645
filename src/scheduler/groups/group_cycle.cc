#include "scheduler/groups/group_cycle.h"

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

}  // namespace berth::scheduler::groups
