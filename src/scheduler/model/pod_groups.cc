#include "scheduler/model/pod_groups.h"

#include "scheduler/model/pod_table.h"

namespace berth::scheduler::model {

std::optional<api::ObjectKey> GroupNamedBy(const api::Pod& pod) {
  if (!pod.spec.pod_group_name) return std::nullopt;
  return api::ObjectKey{pod.metadata.namespace_, *pod.spec.pod_group_name};
}

void PodGroups::Put(const PodRecord& pod) {
  Remove(pod.id);
  auto group = GroupNamedBy(*pod.object);
  if (!group) return;
  const bool pending = pod.state == PodState::kPending;
  if (pending && !scheduler_names_.empty() &&
      !scheduler_names_.contains(pod.object->spec.scheduler_name))
    return;
  Members& members = groups_[*group];
  (pending ? members.pending : members.scheduled).insert(pod.id);
  group_of_.emplace(pod.id, *std::move(group));
}

void PodGroups::Remove(PodId pod) {
  const auto known = group_of_.find(pod);
  if (known == group_of_.end()) return;
  const auto group = groups_.find(known->second);
  group->second.pending.erase(pod);
  group->second.scheduled.erase(pod);
  if (group->second.size() == 0) groups_.erase(group);
  group_of_.erase(known);
}

const PodGroups::Members& PodGroups::Of(const api::ObjectKey& group) const {
  static const Members kNone;
  const auto found = groups_.find(group);
  return found == groups_.end() ? kNone : found->second;
}

}  // namespace berth::scheduler::model
