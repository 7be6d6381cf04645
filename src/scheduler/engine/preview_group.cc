// What the engine would decide about a PodGroup: a cycle that is taken back.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/object.h"
#include "scheduler/engine/engine_state.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {
namespace {

// What the first plugin says that holds the pod back; success if none does.
framework::Verdict HeldBy(const model::Cluster& cluster, const framework::Profile& profile,
                          const model::PodRecord& pod) {
  for (const framework::PreEnqueuePlugin* plugin : profile.pre_enqueue()) {
    framework::Verdict verdict = plugin->PreEnqueue(cluster, pod);
    if (!verdict.ok()) return verdict;
  }
  return {};
}

GroupPreview::Outcome OutcomeOfTrial(const GroupTrial& trial) {
  if (trial.verdict.ok()) return GroupPreview::Outcome::kFits;
  if (!trial.verdict.rejected()) return GroupPreview::Outcome::kError;
  return trial.waiting_on_preemption ? GroupPreview::Outcome::kPreempts
                                     : GroupPreview::Outcome::kUnschedulable;
}

}  // namespace

Result<GroupPreview> Engine::State::PreviewGroup(const api::ObjectKey& group) {
  if (cycle_waits()) return Fail("a scheduling cycle is waiting for a response");
  GroupPreview preview;
  if (const api::PodGroup* object = cluster_.objects<api::PodGroup>().Find(group)) {
    preview.exists = true;
    preview.min_count = object->min_count;
    preview.topology_keys = object->topology_keys;
  }
  preview.scheduled = cluster_.groups().Of(group).scheduled.size();
  auto cycle = MakePreviewCycle(group, preview);
  if (!cycle) return std::unexpected(cycle.error());
  if (cycle->members.empty()) return preview;
  const size_t start = next_start_;
  const Random random = random_;
  Task<bool> task = PreviewCycle(*cycle, preview);
  task.Start();  // No extender is called and nothing is written, so it does not wait.
  next_start_ = start;
  random_ = random;
  for (const GroupMember& member : cycle->members) cluster_.Release(*member.pod);
  return preview;
}

Result<GroupCycle> Engine::State::MakePreviewCycle(const api::ObjectKey& group,
                                                   GroupPreview& preview) {
  GroupCycle cycle;
  cycle.group = group;
  cycle.is_preview = true;
  cycle.explains = false;
  std::vector<model::PodId> members;
  std::optional<size_t> profile;
  for (model::PodId id : cluster_.groups().Of(group).pending) {
    const model::PodRecord& pod = cluster_.pod(id);
    const auto served_by = handlers_.ProfileOf(*pod.object);
    if (pod.terminating() || !served_by) continue;
    if (profile && profile != served_by)
      return Fail("the members of the pod group have different schedulerNames");
    profile = served_by;
    const framework::Verdict held = HeldBy(cluster_, *profiles_[*profile].profile, pod);
    if (held.ok()) {
      members.push_back(id);
    } else {
      preview.outcome = GroupPreview::Outcome::kHeld;
      preview.message = held.Message();
      preview.members.push_back({pod.key(), {}, held.Message()});
    }
  }
  std::ranges::stable_sort(members, std::greater<>(),
                           [this](model::PodId id) { return cluster_.pod(id).object->priority(); });
  cycle.profile = profile.value_or(0);
  cycle.steps_left = profiles_[cycle.profile].profile->group_search().budget;
  for (model::PodId id : members) {
    cycle.members.push_back({{}, std::make_unique<const model::PodRecord>(cluster_.Retain(id))});
  }
  return cycle;
}

Task<bool> Engine::State::PreviewCycle(GroupCycle& cycle, GroupPreview& preview) {
  Task<GroupTrial> search = FindNodesForGroup(cycle, /*post_filters=*/false);
  GroupTrial trial = co_await search;
  if (trial.verdict.ok()) TakeBack(cycle, trial);
  if (cluster_.features().workload_aware_preemption && trial.verdict.rejected()) {
    Task<framework::PodGroupPostFilterResult> selection = SelectVictimsForGroup(cycle, trial);
    const framework::PodGroupPostFilterResult selected = co_await selection;
    trial.waiting_on_preemption = selected.verdict.ok();
    for (model::PodId id : selected.victims) preview.victims.push_back(cluster_.pod(id).key());
  }
  preview.outcome = OutcomeOfTrial(trial);
  preview.message = trial.verdict.Message();
  for (size_t i = 0; i < cycle.members.size(); ++i) {
    GroupPreview::Member member{cycle.members[i].pod->key()};
    const MemberTrial* tried = i < trial.members.size() ? &trial.members[i] : nullptr;
    model::NodeRow node = tried == nullptr ? model::NodeRow() : tried->node;
    if (i < trial.nominations.size()) node = trial.nominations[i];
    if (node.valid()) {
      member.node = cluster_.nodes().name(node);
    } else {
      member.message = FailureOfMember(trial, tried).message;
    }
    preview.members.push_back(std::move(member));
  }
  co_return true;
}

}  // namespace berth::scheduler::engine
