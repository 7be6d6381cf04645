#include "scheduler/engine/group_cycles.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "api/object.h"
#include "scheduler/framework/plugin.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/objects.h"
#include "scheduler/model/pod_groups.h"
#include "scheduler/queue/scheduling_queue.h"

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

}  // namespace

GroupCycles::GroupCycles(const EngineOptions& options, const Services& services)
    : services_(services),
      scheduler_({.cluster = services.cluster,
                  .trials = services.trials,
                  .has_extenders = services.has_extenders,
                  .explain = options.explain,
                  .paranoid = options.paranoid,
                  .log = services.log},
                 *this, services.conditions, services.measurements) {}

void GroupCycles::Run(queue::QueueEntry popped, api::ObjectKey group) {
  std::vector<queue::QueueEntry> entries = PopMembers(std::move(popped), group);
  const auto name_of = [this](const queue::QueueEntry& entry) -> const std::string& {
    return services_.profiles[entry.profile].profile->scheduler_name();
  };
  for (const queue::QueueEntry& entry : entries) {
    if (entry.profile == entries.front().profile) continue;
    const std::string error = fmt::format(
        "all pods in a single pod group should have the same .spec.schedulerName set, got: "
        "\"{}\" and \"{}\"",
        name_of(entry), name_of(entries.front()));
    return FailAll(std::move(entries), error);
  }
  std::erase_if(entries,
                [this](const queue::QueueEntry& entry) { return services_.pods.Skip(entry); });
  if (entries.empty()) return;

  ENGINE_LOG(services_.log, 3, "Attempting to schedule pod group",
             {{"podGroup", group.ToString()}});
  const size_t profile = entries.front().profile;
  cycle_ = std::make_unique<groups::GroupCycle>(MakeCycle(std::move(group), profile));
  cycle_->meter = services_.reporter.MakeMeter(profile);
  for (queue::QueueEntry& entry : entries) {
    const model::PodId pod = entry.order.pod;
    AddMember(std::move(entry), pod, *cycle_);
  }
  cycle_->task.emplace(scheduler_.Run(*cycle_));
  cycle_->task->Start();
  Resume();
}

bool GroupCycles::Resume() {
  if (!cycle_->task->done()) return false;
  cycle_.reset();
  return true;
}

groups::GroupCycle GroupCycles::MakeCycle(api::ObjectKey group, size_t profile) const {
  const ServedProfile& served = services_.profiles[profile];
  groups::GroupCycle cycle;
  cycle.group = std::move(group);
  cycle.profile = profile;
  cycle.plugins = served.profile.get();
  cycle.results = served.results.get();
  cycle.steps_left = served.profile->group_search().budget;
  return cycle;
}

void GroupCycles::AddMember(queue::QueueEntry entry, model::PodId pod, groups::GroupCycle& cycle) {
  cycle.members.push_back(
      {std::move(entry), std::make_unique<const model::PodRecord>(services_.cluster.Retain(pod))});
}

// DIFFERS: members that became ready at once are tried in the order in which they did;
// kube-scheduler has them in map order.
std::vector<queue::QueueEntry> GroupCycles::PopMembers(queue::QueueEntry popped,
                                                       const api::ObjectKey& group) {
  std::vector<queue::QueueEntry> entries;
  const model::PodId first = popped.order.pod;
  entries.push_back(std::move(popped));
  for (model::PodId id : services_.cluster.groups().Of(group).pending) {
    if (id == first) continue;
    if (auto entry = services_.queue.PopSpecificPod(id, services_.outbox.now()))
      entries.push_back(*std::move(entry));
  }
  std::ranges::sort(entries, [](const queue::QueueEntry& a, const queue::QueueEntry& b) {
    return std::tuple(-int64_t{a.order.priority}, a.first_ready, a.ready_sequence) <
           std::tuple(-int64_t{b.order.priority}, b.first_ready, b.ready_sequence);
  });
  return entries;
}

void GroupCycles::FailAll(std::vector<queue::QueueEntry> entries, const std::string& error) {
  queue::Failure failure;
  failure.message = error;
  for (queue::QueueEntry& entry : entries) {
    const model::PodRecord pod = services_.cluster.pod(entry.order.pod);
    const framework::AttemptMeter meter = services_.reporter.MakeMeter(entry.profile);
    services_.failures.EndAttempt(std::move(entry), pod, failure, meter,
                                  FailedDecision(pod, failure));
  }
}

std::vector<std::string> GroupCycles::pods_in_cycle() const {
  std::vector<std::string> uids;
  if (cycle_ == nullptr) return uids;
  for (const groups::GroupMember& member : cycle_->members) uids.push_back(member.pod->uid());
  return uids;
}

// --- previews ---

Result<groups::GroupPreview> GroupCycles::Preview(const api::ObjectKey& group) {
  groups::GroupPreview preview;
  if (const api::PodGroup* object = services_.cluster.objects<api::PodGroup>().Find(group)) {
    preview.exists = true;
    preview.min_count = object->min_count;
    preview.topology_keys = object->topology_keys;
  }
  preview.scheduled = services_.cluster.groups().Of(group).scheduled.size();
  auto cycle = MakePreviewCycle(group, preview);
  if (!cycle) return std::unexpected(cycle.error());
  if (cycle->members.empty()) return preview;
  scheduler_.Preview(*cycle, preview);
  for (const groups::GroupMember& member : cycle->members) services_.cluster.Release(*member.pod);
  return preview;
}

Result<groups::GroupCycle> GroupCycles::MakePreviewCycle(const api::ObjectKey& group,
                                                         groups::GroupPreview& preview) {
  std::vector<model::PodId> members;
  std::optional<size_t> profile;
  for (model::PodId id : services_.cluster.groups().Of(group).pending) {
    const model::PodRecord& pod = services_.cluster.pod(id);
    const auto served_by = services_.profiles.For(*pod.object);
    if (pod.terminating() || !served_by) continue;
    if (profile && profile != served_by)
      return Fail("the members of the pod group have different schedulerNames");
    profile = served_by;
    const framework::Verdict held =
        HeldBy(services_.cluster, *services_.profiles[*profile].profile, pod);
    if (held.ok()) {
      members.push_back(id);
    } else {
      preview.outcome = groups::GroupPreview::Outcome::kHeld;
      preview.message = held.Message();
      preview.members.push_back({pod.key(), {}, held.Message()});
    }
  }
  std::ranges::stable_sort(members, std::greater<>(), [this](model::PodId id) {
    return services_.cluster.pod(id).object->priority();
  });
  groups::GroupCycle cycle = MakeCycle(group, profile.value_or(0));
  cycle.is_preview = true;
  cycle.explains = false;
  for (model::PodId id : members) AddMember({}, id, cycle);
  return cycle;
}

// --- what was decided about members ---

void GroupCycles::Bind(groups::GroupMember member, groups::PodTrial trial,
                       const groups::PermitOutcome& permit) {
  Decision decision;
  decision.pod = member.pod->id;
  decision.key = member.pod->key();
  decision.node = services_.cluster.nodes().name(trial.node);
  decision.explanation = std::move(trial.explanation);
  services_.bindings.Start(std::move(member.entry), std::move(member.pod), std::move(trial),
                           permit);
  services_.reporter.Report(decision);
}

void GroupCycles::Return(groups::GroupMember member, const groups::PodTrial* trial,
                         queue::Failure failure) {
  if (failure.nomination.replace && !failure.nomination.node.valid()) {
    // What it was nominated to is cleared, even if the API has not shown or received it yet.
    const Symbol nominated = services_.cluster.nominations().NodeOf(member.pod->id);
    const std::string* written = services_.status.NominationOf(member.pod->uid());
    if (nominated.valid()) {
      failure.announced = services_.cluster.symbols().Text(nominated);
    } else if (written != nullptr) {
      failure.announced = *written;
    }
  }
  const framework::AttemptMeter meter =
      trial == nullptr ? services_.reporter.MakeMeter(member.entry.profile) : trial->meter;
  Decision decision = FailedDecision(*member.pod, failure);
  if (trial != nullptr) decision.explanation = trial->explanation;
  if (trial != nullptr && !trial->victims.empty()) {
    decision.victims = trial->victims;
    if (trial->node.valid()) decision.nominated_node = services_.cluster.nodes().name(trial->node);
  }
  services_.failures.EndAttempt(std::move(member.entry), *member.pod, failure, meter, decision);
  services_.cluster.Release(*member.pod);
}

void GroupCycles::Evict(const api::PodGroup& group,
                        const std::vector<const model::PodRecord*>& members,
                        const std::vector<model::PodId>& victims) {
  services_.evictions.Start(group, members, victims);
}

void GroupCycles::Activate(model::PodId pod) {
  services_.queue.Activate(pod, services_.outbox.now());
}

}  // namespace berth::scheduler::engine
