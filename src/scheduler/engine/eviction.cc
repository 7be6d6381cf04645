#include "scheduler/engine/eviction.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/pod_group.h"
#include "base/check.h"
#include "scheduler/framework/measurements.h"
#include "scheduler/framework/status_patches.h"
#include "scheduler/framework/status_retries.h"
#include "scheduler/model/cluster.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth::scheduler::engine {
namespace {

Eviction::Victim Describe(const model::PodRecord& pod) {
  const api::ObjectMeta& metadata = pod.object->metadata;
  Eviction::Victim victim{pod.key(), pod.uid(), metadata.resource_version, metadata.generation, {}};
  const api::PodCondition* condition =
      framework::FindCondition(pod.object->status.conditions, "DisruptionTarget");
  if (condition != nullptr) victim.condition = *condition;
  return victim;
}

}  // namespace

Eviction::Plan Eviction::MakePlan(const model::Cluster& cluster, const model::PodRecord& preemptor,
                                  Symbol node, const std::vector<model::PodId>& victims) {
  Plan plan{preemptor.key(),
            preemptor.uid(),
            preemptor.object->spec.scheduler_name,
            cluster.symbols().Text(node),
            {},
            {}};
  plan.pods.emplace_back(preemptor.key(), preemptor.uid());
  for (model::PodId id : victims) {
    if (!cluster.pod(id).terminating()) plan.victims.push_back(Describe(cluster.pod(id)));
  }
  for (model::PodId id : cluster.nominations().PodsOn(node)) {
    const model::PodRecord& pod = cluster.pod(id);
    if (pod.object->priority() < preemptor.object->priority()) {
      plan.lower_nominations.push_back(Describe(pod));
    }
  }
  return plan;
}

Eviction::Plan Eviction::MakePlan(const model::Cluster& cluster, const api::PodGroup& preemptor,
                                  const std::vector<const model::PodRecord*>& members,
                                  const std::vector<model::PodId>& victims) {
  Plan plan{{preemptor.metadata.namespace_, preemptor.metadata.name},
            preemptor.metadata.uid,
            members.front()->object->spec.scheduler_name,
            "cluster",
            {},
            {}};
  plan.preemptor_kind = "podgroup";
  for (const model::PodRecord* member : members)
    plan.pods.emplace_back(member->key(), member->uid());
  for (model::PodId id : victims) {
    if (!cluster.pod(id).terminating()) plan.victims.push_back(Describe(cluster.pod(id)));
  }
  return plan;
}

Eviction::Eviction(Plan plan, const Services& services)
    : plan_(std::move(plan)), services_(services), task_(Run()) {}

Task<framework::Verdict> Eviction::Run() {
  Task<framework::Verdict> steps = plan_.synchronous ? RunSynchronously() : RunAsynchronously();
  framework::Verdict verdict = co_await steps;
  services_.finished.push_back(this);
  co_return verdict;
}

Task<framework::Verdict> Eviction::ClearLowerNominations() {
  framework::Verdict failure;
  for (const Victim& pod : plan_.lower_nominations) {
    const framework::PatchPodStatus patch{pod.pod, pod.uid, std::nullopt, std::string()};
    const framework::WriteResult result = co_await framework::WriteStatus(services_.outbox, patch);
    if (!result.ok()) failure = framework::Verdict::Error(result.message);
  }
  co_return failure;
}

Task<framework::Verdict> Eviction::RunAsynchronously() {
  framework::Verdict failure = co_await ClearLowerNominations();
  std::vector<Task<framework::Verdict>> side_by_side;
  for (size_t i = 0; i + 1 < plan_.victims.size(); ++i) {
    side_by_side.push_back(Evict(plan_.victims[i]));
    side_by_side.back().Start();
  }
  bool all_went = true;
  for (Task<framework::Verdict>& eviction : side_by_side) {
    framework::Verdict verdict = co_await eviction.Join();
    if (verdict.ok()) continue;
    all_went = false;
    failure = std::move(verdict);
  }
  if (all_went) {
    services_.preemptions.LastVictim(plan_.preemptor_uid, plan_.victims.back().pod,
                                     plan_.victims.back().uid);
    framework::Verdict verdict = co_await Evict(plan_.victims.back());
    if (!verdict.ok()) failure = std::move(verdict);
  }
  co_return failure;
}

Task<framework::Verdict> Eviction::RunSynchronously() {
  std::vector<Task<framework::Verdict>> side_by_side;
  for (const Victim& victim : plan_.victims) {
    side_by_side.push_back(EvictUnlessStopped(victim));
    side_by_side.back().Start();
  }
  for (Task<framework::Verdict>& eviction : side_by_side) std::ignore = co_await eviction.Join();
  if (!first_failure_.ok()) co_return first_failure_;
  // These are not critical: the preemption succeeds without them.
  std::ignore = co_await ClearLowerNominations();
  co_return framework::Verdict();
}

Task<framework::Verdict> Eviction::EvictUnlessStopped(const Victim& victim) {
  if (!first_failure_.ok()) co_return first_failure_;
  framework::Verdict verdict = co_await Evict(victim);
  if (!verdict.ok() && first_failure_.ok()) first_failure_ = verdict;
  co_return verdict;
}

// A victim that is deleted already counts as evicted.
Task<framework::Verdict> Eviction::Evict(const Victim& victim) {
  using Stopped = Services::Stopped;
  if (const Stopped stopped = services_.stop_binding(victim.uid); stopped != Stopped::kNot) {
    const bool waited = stopped == Stopped::kWaiting;
    ENGINE_LOG(services_.log, 2,
               waited ? "Preemptor preempted a waiting pod" : "Preemptor rejected a pod in preBind",
               {{"preemptorType", plan_.preemptor_kind},
                {"preemptor", plan_.preemptor.ToString()},
                {waited ? "waitingPod" : "podInPreBind", victim.pod.ToString()},
                {"node", plan_.node}});
    RecordEviction(victim, " (in kube-scheduler memory).");
    co_return framework::Verdict();
  }
  if (auto condition = ConditionFor(victim)) {
    const framework::PatchPodStatus patch{victim.pod, victim.uid, std::move(condition),
                                          std::nullopt};
    const framework::WriteResult patched = co_await framework::WriteStatus(services_.outbox, patch);
    if (IsGone(victim, patched)) co_return framework::Verdict();
    if (!patched.ok()) {
      ENGINE_LOG_ERROR(
          services_.log, patched.message,
          "Could not add DisruptionTarget condition due to preemption",
          {{"preemptor", plan_.preemptor.ToString()}, {"victim", victim.pod.ToString()}});
      co_return framework::Verdict::Error(patched.message);
    }
    if (!first_failure_.ok()) co_return first_failure_;  // Another victim could not be evicted.
  }
  framework::DeletePod remove{victim.pod, victim.uid};
  const framework::WriteResult deleted = co_await services_.outbox.Write(std::move(remove));
  if (IsGone(victim, deleted)) co_return framework::Verdict();
  if (!deleted.ok()) {
    ENGINE_LOG_ERROR(services_.log, deleted.message, "Tried to preempted pod",
                     {{"pod", victim.pod.ToString()}, {"preemptor", plan_.preemptor.ToString()}});
    co_return framework::Verdict::Error(deleted.message);
  }
  ENGINE_LOG(services_.log, 2, "Preemptor Pod preempted victim Pod",
             {{"preemptor", plan_.preemptor.ToString()},
              {"victim", victim.pod.ToString()},
              {"node", plan_.node}});
  RecordEviction(victim, "");
  co_return framework::Verdict();
}

bool Eviction::IsGone(const Victim& victim, const framework::WriteResult& result) const {
  if (result.kind != framework::WriteResult::Kind::kNotFound) return false;
  ENGINE_LOG(services_.log, 2, "Victim Pod is already deleted",
             {{"preemptor", plan_.preemptor.ToString()},
              {"victim", victim.pod.ToString()},
              {"node", plan_.node}});
  return true;
}

std::optional<api::PodCondition> Eviction::ConditionFor(const Victim& victim) const {
  return framework::ConditionOver(
      victim.condition ? &*victim.condition : nullptr,
      {.type = "DisruptionTarget",
       .status = "True",
       .reason = "PreemptionByScheduler",
       .message = fmt::format("{}: preempting to accommodate a higher priority {}",
                              plan_.scheduler_name, plan_.preemptor_kind),
       .last_transition_time = services_.outbox.wall_now(),
       .observed_generation = victim.generation});
}

void Eviction::RecordEviction(const Victim& victim, std::string_view how) {
  services_.outbox.Post(framework::RecordEvent{
      .pod = victim.pod,
      .uid = victim.uid,
      .type = "Normal",
      .reason = "Preempted",
      .action = "Preempting",
      .note = fmt::format("Preempted by {} {} on node {}{}", plan_.preemptor_kind,
                          plan_.preemptor_uid, plan_.node, how),
      .scheduler_name = plan_.scheduler_name,
      .resource_version = victim.resource_version});
}

void Evictions::LogTerminating(const api::ObjectKey& preemptor, std::string_view node,
                               const std::vector<model::PodId>& victims) const {
  if (!services_.log.IsOn(2)) return;
  for (model::PodId id : victims) {
    const model::PodRecord& victim = services_.cluster.pod(id);
    if (!victim.terminating()) continue;
    ENGINE_LOG(
        services_.log, 2, "Victim Pod is already being deleted, skipping the API call for it",
        {{"preemptor", preemptor.ToString()}, {"node", node}, {"victim", victim.key().ToString()}});
  }
}

// The model need not wait until the API has shown it.
void Evictions::EndNominations(const Eviction::Plan& plan) {
  model::Cluster& cluster = services_.cluster;
  for (const Eviction::Victim& pod : plan.lower_nominations) {
    const model::PodId id = cluster.pods().Find(pod.pod.namespace_, pod.pod.name);
    if (!id.valid() || cluster.pod(id).uid() != pod.uid) continue;
    const Symbol node = cluster.nominations().NodeOf(id);
    if (node.valid() && cluster.symbols().Text(node) == plan.node) cluster.Nominate(id, {});
  }
}

void Evictions::Start(const model::PodRecord& preemptor, Symbol node,
                      const std::vector<model::PodId>& victims) {
  const std::string& node_name = services_.cluster.symbols().Text(node);
  LogTerminating(preemptor.key(), node_name, victims);
  Begin(Eviction::MakePlan(services_.cluster, preemptor, node, victims), victims.size());
}

void Evictions::Start(const api::PodGroup& preemptor,
                      const std::vector<const model::PodRecord*>& members,
                      const std::vector<model::PodId>& victims) {
  LogTerminating({preemptor.metadata.namespace_, preemptor.metadata.name}, "cluster", victims);
  Begin(Eviction::MakePlan(services_.cluster, preemptor, members, victims), victims.size());
}

void Evictions::Begin(Eviction::Plan plan, size_t victims) {
  // To stop a binding again would end at once, and the preemptor would try again at once.
  std::erase_if(plan.victims,
                [&](const Eviction::Victim& victim) { return services_.is_stopping(victim.uid); });
  if (plan.victims.empty()) return;  // All are on their way out.
  if (services_.measurements != nullptr) services_.measurements->VictimsChosen(victims);
  ENGINE_LOG(services_.log, 2, "Start the preemption asynchronously",
             {{"preemptor", plan.preemptor.ToString()},
              {"node", plan.node},
              {"numVictims", victims},
              {"numVictimsToDelete", plan.victims.size()}});
  EndNominations(plan);
  services_.cluster.mutable_preemptions().Begin(plan.preemptor_uid);
  Run(std::move(plan));
}

void Evictions::StartSynchronously(const model::PodRecord& preemptor, Symbol node,
                                   const std::vector<model::PodId>& victims, Done done) {
  CHECK(done_ == nullptr);
  const std::string& node_name = services_.cluster.symbols().Text(node);
  LogTerminating(preemptor.key(), node_name, victims);
  Eviction::Plan plan = Eviction::MakePlan(services_.cluster, preemptor, node, victims);
  plan.synchronous = true;
  if (services_.measurements != nullptr) services_.measurements->VictimsChosen(victims.size());
  done_ = std::move(done);
  Run(std::move(plan));
}

void Evictions::Run(Eviction::Plan plan) {
  plan.since = services_.outbox.now();
  auto eviction = std::make_unique<Eviction>(
      std::move(plan), Eviction::Services{services_.outbox, services_.cluster.mutable_preemptions(),
                                          services_.stop_binding, ended_, services_.log});
  Eviction& started = *eviction;
  evictions_.emplace(&started, std::move(eviction));
  started.Start();
}

void Evictions::FinishEnded() {
  for (Eviction* eviction : std::exchange(ended_, {})) Finish(*eviction);
}

// If not all victims were evicted, no event may ever requeue the preemptor: activate it.
void Evictions::Finish(Eviction& eviction) {
  model::Cluster& cluster = services_.cluster;
  const Eviction::Plan& plan = eviction.plan();
  const Instant now = services_.outbox.now();
  if (plan.synchronous) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the eviction ends before.
    const framework::Verdict verdict = eviction.verdict();
    if (verdict.ok()) EndNominations(plan);
    evictions_.erase(&eviction);
    return std::exchange(done_, nullptr)(verdict);
  }
  if (services_.measurements != nullptr)
    services_.measurements->EvictionEnded(eviction.verdict().ok(), now - plan.since);
  ENGINE_LOG(services_.log, 2, "Async Preemption finished completely",
             {{"preemptor", plan.preemptor.ToString()},
              {"node", plan.node},
              {"result", eviction.verdict().ok() ? "success" : "error"}});
  cluster.mutable_preemptions().End(plan.preemptor_uid);
  for (const auto& [key, uid] : plan.pods) {
    const model::PodId id = cluster.pods().Find(key.namespace_, key.name);
    if (!id.valid() || cluster.pod(id).uid() != uid) continue;
    const queue::QueueEntry* entry = services_.queue.Find(id);
    const bool gated = entry != nullptr && entry->gate != nullptr;
    if (gated || !eviction.verdict().ok()) services_.queue.Activate(id, now);
  }
  evictions_.erase(&eviction);
}

}  // namespace berth::scheduler::engine
