// How the engine schedules the members of a PodGroup: all that wait are tried in one cycle, each on
// the cluster with the ones before it, and only then it is decided whether any is bound.

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "scheduler/engine/engine_state.h"
#include "scheduler/engine/explain.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {
namespace {

constexpr const char* kUnschedulable = "pod group is unschedulable";

void AddReason(std::string reason, framework::Verdict& verdict) {
  std::vector<std::string> reasons = verdict.reasons();
  reasons.push_back(std::move(reason));
  verdict = {framework::Code::kUnschedulable, std::move(reasons)};
}

// Names the first member that fits nowhere, and says why; empty if there is none.
std::string FirstStopped(const GroupCycle& cycle, const GroupTrial& trial) {
  for (size_t i = 0; i < trial.members.size(); ++i) {
    const std::optional<Failure>& failure = trial.members[i].failure;
    if (failure && failure->rejected)
      return fmt::format("{}: {}", cycle.members[i].pod->key().name, failure->message);
  }
  return "";
}

GroupTrial NotPlaced(framework::Verdict verdict) {
  GroupTrial trial;
  trial.verdict = std::move(verdict);
  return trial;
}

}  // namespace

void Engine::State::TryGroup(queue::QueueEntry popped, api::ObjectKey group) {
  std::vector<queue::QueueEntry> entries = PopMembers(std::move(popped), group);
  const auto name_of = [this](const queue::QueueEntry& entry) -> const std::string& {
    return profiles_[entry.profile].profile->scheduler_name();
  };
  for (const queue::QueueEntry& entry : entries) {
    if (entry.profile == entries.front().profile) continue;
    const std::string error = fmt::format(
        "all pods in a single pod group should have the same .spec.schedulerName set, got: "
        "\"{}\" and \"{}\"",
        name_of(entry), name_of(entries.front()));
    return FailAll(std::move(entries), error);
  }
  std::erase_if(entries, [this](const queue::QueueEntry& entry) { return IsSkipped(entry); });
  if (entries.empty()) return;

  ENGINE_LOG(log_, 3, "Attempting to schedule pod group", {{"podGroup", group.ToString()}});
  group_cycle_ = std::make_unique<GroupCycle>();
  group_cycle_->group = std::move(group);
  group_cycle_->profile = entries.front().profile;
  group_cycle_->meter = MakeMeter(group_cycle_->profile);
  group_cycle_->steps_left = profiles_[group_cycle_->profile].profile->group_search().budget;
  for (queue::QueueEntry& entry : entries) {
    auto pod = std::make_unique<const model::PodRecord>(cluster_.Retain(entry.order.pod));
    group_cycle_->members.push_back({std::move(entry), std::move(pod)});
  }
  group_cycle_->task.emplace(RunGroupCycle(*group_cycle_));
  group_cycle_->task->Start();
  if (!group_cycle_->task->done()) return;
  group_cycle_.reset();
  Reap();
}

// DIFFERS: members that became ready at once are tried in the order in which they did;
// kube-scheduler has them in map order.
std::vector<queue::QueueEntry> Engine::State::PopMembers(queue::QueueEntry popped,
                                                         const api::ObjectKey& group) {
  std::vector<queue::QueueEntry> entries;
  const model::PodId first = popped.order.pod;
  entries.push_back(std::move(popped));
  for (model::PodId id : cluster_.groups().Of(group).pending) {
    if (id == first) continue;
    if (auto entry = queue_.PopSpecificPod(id, now())) entries.push_back(*std::move(entry));
  }
  std::ranges::sort(entries, [](const queue::QueueEntry& a, const queue::QueueEntry& b) {
    return std::tuple(-int64_t{a.order.priority}, a.first_ready, a.ready_sequence) <
           std::tuple(-int64_t{b.order.priority}, b.first_ready, b.ready_sequence);
  });
  return entries;
}

void Engine::State::FailAll(std::vector<queue::QueueEntry> entries, const std::string& error) {
  Failure failure;
  failure.message = error;
  for (queue::QueueEntry& entry : entries) {
    const model::PodRecord pod = cluster_.pod(entry.order.pod);
    const framework::AttemptMeter meter = MakeMeter(entry.profile);
    Decision decision;
    decision.pod = pod.id;
    decision.key = pod.key();
    decision.kind = Decision::Kind::kFailed;
    decision.message = error;
    ReportFailed(entry, pod, failure, meter, &decision, nullptr);
    HandleFailure(std::move(entry), pod, failure, meter);
    Report(decision);
  }
}

Task<bool> Engine::State::RunGroupCycle(GroupCycle& cycle) {
  if (paranoid_) cycle.before = DescribeCounts(cluster_);
  Task<GroupTrial> search = FindNodesForGroup(cycle, /*post_filters=*/true);
  GroupTrial trial = co_await search;
  const bool evicts = std::ranges::any_of(
      trial.members, [](const MemberTrial& member) { return !member.victims.empty(); });
  if (!trial.verdict.ok() && !evicts) CheckUnchanged(cycle);
  cycle.meter.Begin();
  if (measurements_ != nullptr) measurements_->GroupAlgorithmEnded(cycle.meter.so_far());
  if (cluster_.features().workload_aware_preemption && trial.verdict.rejected()) {
    Task<framework::Verdict> preemption = PreemptForGroup(cycle, trial);
    framework::Verdict preempted = co_await preemption;
    if (preempted.ok()) {
      trial.waiting_on_preemption = true;
    } else if (!preempted.rejected()) {
      trial.verdict = std::move(preempted);
    } else {
      AddReason(preempted.Message(), trial.verdict);
    }
  }
  SubmitGroup(cycle, std::move(trial));
  co_return true;
}

void Engine::State::CheckUnchanged(const GroupCycle& cycle) const {
  if (paranoid_) CHECK(cycle.before == DescribeCounts(cluster_));
}

Task<GroupTrial> Engine::State::FindNodesForGroup(GroupCycle& cycle, bool post_filters) {
  const framework::GroupSearch& how = profiles_[cycle.profile].profile->group_search();
  if (!how.topology_levels.empty()) {
    Task<std::optional<GroupTrial>> levels = TryLevels(cycle);
    std::optional<GroupTrial> near = co_await levels;
    if (near) co_return *std::move(near);
  }
  if (!how.complete) {
    Task<GroupTrial> search = TryGreedily(cycle, post_filters);
    GroupTrial trial = co_await search;
    co_return trial;
  }
  // Nobody is evicted while it is not known whether the group fits without.
  Task<GroupTrial> greedy = TryGreedily(cycle, /*post_filters=*/false);
  GroupTrial trial = co_await greedy;
  if (!trial.verdict.rejected()) co_return trial;
  std::string outcome;
  Task<std::optional<GroupTrial>> search = SearchGroup(cycle, outcome);
  std::optional<GroupTrial> found = co_await search;
  if (found) co_return *std::move(found);
  if (!post_filters) co_return trial;
  Task<GroupTrial> again = TryGreedily(cycle, post_filters);
  trial = co_await again;
  if (trial.verdict.rejected()) {
    AddReason(outcome, trial.verdict);
    if (std::string stopped = FirstStopped(cycle, trial); !stopped.empty())
      AddReason(std::move(stopped), trial.verdict);
  }
  co_return trial;
}

Task<GroupTrial> Engine::State::TryGreedily(GroupCycle& cycle, bool post_filters) {
  if (cluster_.features().topology_aware_workload_scheduling) {
    Task<GroupTrial> search = TryPlacements(cycle, post_filters);
    GroupTrial trial = co_await search;
    co_return trial;
  }
  Task<GroupTrial> search = TryMembers(cycle, nullptr, {post_filters});
  GroupTrial trial = co_await search;
  if (!trial.verdict.ok()) TakeBack(cycle, trial);
  co_return trial;
}

Task<GroupTrial> Engine::State::TryMembers(GroupCycle& cycle, const framework::Placement* placement,
                                           TrialOptions options) {
  GroupTrial trial = NotPlaced({framework::Code::kUnschedulable, kUnschedulable});
  bool needs_preemption = false;
  FailureCache failures(cluster_);
  if (placement != nullptr) {
    ENGINE_LOG(LogOf(cycle), 4, "Assuming placement in snapshot", {{"placement", placement->name}});
  }
  ENGINE_LOG(
      LogOf(cycle), 5, "Running a pod group scheduling algorithm",
      {{"podGroup", cycle.group.ToString()}, {"unscheduledPodsCount", cycle.members.size()}});
  for (const GroupMember& member : cycle.members) {
    Task<MemberTrial> attempt = TryMember(cycle, member, placement, options.post_filters, failures);
    MemberTrial tried = co_await attempt;
    if (tried.node.valid()) trial.assumed.push_back(trial.members.size());
    trial.members.push_back(std::move(tried));
    const MemberTrial& last = trial.members.back();
    if (!last.node.valid()) {
      const size_t failed = trial.members.size() - trial.assumed.size();
      if (options.at_least > 0 && cycle.members.size() - failed < options.at_least) break;
      if (last.failure->rejected) continue;
      trial.verdict = framework::Verdict::Error("failed to schedule other pod from a pod group: " +
                                                last.failure->message);
      trial.waiting_on_preemption = false;
      break;
    }
    needs_preemption |= last.needs_preemption;
    if (!last.permitted) continue;
    if (needs_preemption) {
      const std::vector<std::string> reasons = {kUnschedulable,
                                                "pod group is waiting for preemption to complete"};
      trial.verdict = {framework::Code::kUnschedulable, reasons};
      trial.waiting_on_preemption = true;
    } else {
      trial.verdict = {};
    }
  }
  co_return trial;
}

Task<MemberTrial> Engine::State::TryMember(const GroupCycle& cycle, const GroupMember& member,
                                           const framework::Placement* placement, bool post_filters,
                                           FailureCache& failures) {
  const ServedProfile& served = profiles_[cycle.profile];
  MemberTrial trial;
  ENGINE_LOG(LogOf(cycle), 4, "Attempting to schedule a pod belonging to a pod group",
             {{"podGroup", cycle.group.ToString()}, {"pod", member.pod->key().ToString()}});
  const Failure* known =
      extenders_.empty() && !explain_ ? failures.Find(*member.pod, cycle.profile) : nullptr;
  if (known != nullptr && !paranoid_) {
    trial.failure = *known;
    trial.meter = MakeMeter(cycle);
    if (known->preemption_tried && trial.meter.to() != nullptr) trial.meter.to()->PreemptionTried();
    co_return trial;
  }
  trial.results = served.results->For(*member.pod);
  if (explain_ && cycle.explains) {
    framework::Attempt explained(cluster_, *served.profile, *trial.results, *member.pod);
    if (placement != nullptr) explained.ConfineTo(&placement->nodes);
    trial.explanation =
        ExplainAttempt(explained, outbox_.latest_wall(), random_, ExplainDepth::kDetails);
  }
  trial.attempt =
      std::make_unique<framework::Attempt>(cluster_, *served.profile, *trial.results, *member.pod);
  trial.attempt->Measure(MakeMeter(cycle));
  trial.attempt->cycle().set_background(&background_);
  if (placement != nullptr) trial.attempt->ConfineTo(&placement->nodes);
  const bool calls_extenders = !extenders_.empty() && !cycle.is_preview;
  const SearchOptions options{.now = outbox_.latest_wall(),
                              .random = random_,
                              .extenders = calls_extenders ? &extenders_ : nullptr,
                              .writes = &cycle_writes_,
                              .percentage_of_nodes_to_score = served.percentage_of_nodes_to_score,
                              .next_start = NextStart(),
                              .post_filters = post_filters,
                              .log = LogOf(cycle)};
  Task<CycleOutcome> search = FindNode(*trial.attempt, options);
  const CycleOutcome outcome = co_await search;
  if (served.paranoid_check != nullptr)
    served.paranoid_check->CheckMember(*trial.attempt, outcome, outbox_.latest_wall(),
                                       post_filters);
  trial.attempt->ConfineTo(nullptr);
  const framework::AttemptMeter& meter = trial.attempt->meter();
  if (meter.to() != nullptr) meter.to()->AlgorithmEnded(meter.so_far());
  trial.node = outcome.node;
  trial.evaluated = outcome.evaluated;
  trial.feasible = outcome.feasible;
  CHECK(known == nullptr || outcome.kind != CycleOutcome::Kind::kNode);
  if (outcome.kind != CycleOutcome::Kind::kNode) {
    trial.failure = FailureOf(outcome, served);
    CHECK(known == nullptr || known->message == trial.failure->message);
    failures.Add(*member.pod, cycle.profile, *trial.failure);
    const Symbol nominated = outcome.post_filter.nomination.node;
    for (model::PodId victim : outcome.post_filter.victims)
      trial.victims.push_back(cluster_.pod(victim).key());
    if (!trial.victims.empty())
      evictions_.Start(*member.pod, nominated, outcome.post_filter.victims);
    if (!nominated.valid()) {
      trial.meter = meter;
      trial.DropAttempt();  // A group may have many members that fit nowhere.
      co_return trial;
    }
    // The others see it where it will be, together with its victims.
    trial.node = cluster_.nodes().Find(nominated);
    trial.needs_preemption = true;
  }
  AssumeMember(cycle, member, trial);
  trial.meter = meter;
  if (!trial.node.valid()) trial.DropAttempt();
  co_return trial;
}

void Engine::State::AssumeMember(const GroupCycle& cycle, const GroupMember& member,
                                 MemberTrial& trial) {
  const Symbol nominated = cluster_.nominations().NodeOf(member.pod->id);
  trial.nominated_before = nominated.valid() ? cluster_.symbols().Text(nominated) : "";
  cluster_.Assume(member.pod->id, trial.node);
  std::optional<Failure> failure = RunReservePlugins(cycle.profile, *trial.attempt, trial.node);
  if (!failure) {
    PermitOutcome permit = RunPermitPlugins(cycle.profile, *trial.attempt, trial.node);
    failure = std::move(permit.failure);
    trial.permitted = permit.timeouts.empty();
    trial.permit_message = std::move(permit.message);
  }
  if (!failure) return;
  TakeBack(member, trial);
  trial.node = {};
  trial.needs_preemption = false;
  trial.failure = std::move(failure);
}

void Engine::State::TakeBack(const GroupMember& member, MemberTrial& trial) {
  Unreserve(*trial.attempt, trial.node);
  cluster_.Forget(member.pod->id);
  if (!trial.nominated_before.empty())
    cluster_.NominateByName(member.pod->id, trial.nominated_before);
}

void Engine::State::TakeBack(const GroupCycle& cycle, GroupTrial& trial) {
  for (const size_t i : trial.assumed | std::views::reverse)
    TakeBack(cycle.members[i], trial.members[i]);
  trial.assumed.clear();
}

}  // namespace berth::scheduler::engine
