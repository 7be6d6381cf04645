#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "engine/binding_cycle.h"
#include "engine/class_cache.h"
#include "engine/eviction.h"
#include "engine/explain.h"
#include "engine/outbox.h"
#include "engine/paranoid.h"
#include "engine/scheduling_cycle.h"
#include "framework/profile.h"
#include "queue/active_queue.h"

namespace berth {
namespace {

// A profile and what is kept for it.
struct Lane {
  std::unique_ptr<Profile> profile;
  std::unique_ptr<ClassCache> results;
  std::unique_ptr<Paranoia> paranoia;  // If it is asked for.
};

}  // namespace

class Engine::State {
 public:
  explicit State(const EngineOptions& options)
      : explain_(options.explain), paranoid_(options.paranoid), random_(options.seed) {}

  Status AddProfile(const ProfileConfig& config, const Registry& registry);

  void Handle(const Event& event, Instant now);
  bool ScheduleOne(Instant now);
  // Lets go on whatever waits for a time up to `now`.
  void PassTime(Instant now);

  Result<Explanation> Explain(std::shared_ptr<const api::Pod> pod, Instant now);

  Cluster cluster_;
  std::unique_ptr<ActiveQueue> queue_;  // Made with the first profile.
  std::unordered_set<PodId> unschedulable_;
  std::unordered_set<PodId> gated_;
  Outbox outbox_;
  DecisionObserver* observer_ = nullptr;

 private:
  void HandlePut(const api::Object& object, Instant now);
  void HandleGone(const api::Object& object, Instant now);

  // The profile that serves the pod, or null.
  Lane* LaneFor(const api::Pod& pod);
  void PodArrived(PodId id, Instant since);
  // Takes the pod from wherever it waits; returns its entry if it was ready to be tried.
  std::optional<QueuedPod> Dequeue(PodId id);
  void WakeAll(Instant now);

  void TryPod(PodId id, Lane& lane, Instant now);
  void HandleFailure(const PodRecord& pod, const CycleOutcome& outcome);
  // Success, or why a plugin refused to reserve the node: the pod is then not placed.
  Verdict Place(std::unique_ptr<const PodRecord> pod, std::shared_ptr<ClassResults> results,
                std::unique_ptr<Attempt> attempt, NodeRow node);
  void Evict(const PodRecord& preemptor, Symbol node, const std::vector<PodId>& victims);
  // Takes note of the binding cycles and evictions that have come to their end. The room of a pod
  // that could not be bound is then offered to others, but not while pods are being tried: those
  // that fail at once would wake each other for ever.
  void Reap(bool wake_others);
  void FinishBinding(BindingCycle& binding, bool wake_others);
  void FinishEviction(Eviction& eviction);
  void Unreserve(Cycle& cycle, const Profile& profile, NodeRow node);
  void Park(PodId id) { unschedulable_.insert(id); }
  void Report(Decision decision);

  const bool explain_;
  const bool paranoid_;
  Random random_;
  std::map<std::string, Lane, std::less<>> lanes_;  // By scheduler name.

  std::unordered_map<const BindingCycle*, std::unique_ptr<BindingCycle>> bindings_;
  std::unordered_map<const Eviction*, std::unique_ptr<Eviction>> evictions_;
  std::vector<BindingCycle*> finished_bindings_;
  std::vector<Eviction*> finished_evictions_;
};

Status Engine::State::AddProfile(const ProfileConfig& config, const Registry& registry) {
  auto profile = Profile::Build(config, registry);
  if (!profile) {
    return Fail(fmt::format("creating profile for scheduler name {}: {}", config.scheduler_name,
                            profile.error().message));
  }
  if (!(*profile)->permit().empty()) {
    return Fail(
        fmt::format("profile \"{}\": Permit plugins cannot be run by this version of the engine",
                    config.scheduler_name));
  }
  if (queue_ == nullptr) queue_ = std::make_unique<ActiveQueue>((*profile)->queue_sort());
  Lane lane{*std::move(profile), nullptr, nullptr};
  if (paranoid_) lane.paranoia = std::make_unique<Paranoia>(config);
  lane.results = std::make_unique<ClassCache>(*lane.profile, cluster_);
  if (!lanes_.emplace(config.scheduler_name, std::move(lane)).second) {
    return Fail(fmt::format("duplicate profile with scheduler name \"{}\"", config.scheduler_name));
  }
  return {};
}

Lane* Engine::State::LaneFor(const api::Pod& pod) {
  auto found = lanes_.find(pod.spec.scheduler_name);
  return found == lanes_.end() ? nullptr : &found->second;
}

void Engine::State::Handle(const Event& event, Instant now) {
  PassTime(now);
  if (const auto* put = std::get_if<ObjectPut>(&event)) {
    HandlePut(put->object, now);
  } else if (const auto* gone = std::get_if<ObjectGone>(&event)) {
    HandleGone(gone->object, now);
  } else {
    const auto& done = std::get<WriteDone>(event);
    outbox_.WriteEnded(done.id, done.result);
    Reap(/*wake_others=*/true);
  }
}

void Engine::State::HandlePut(const api::Object& object, Instant now) {
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  if (pod == nullptr) {
    cluster_.Put(object);
    WakeAll(now);
    return;
  }
  const PodId before = cluster_.pods().Find((*pod)->metadata.namespace_, (*pod)->metadata.name);
  const bool same_pod = before.valid() && cluster_.pod(before).uid() == (*pod)->metadata.uid;
  const auto queued = before.valid() ? Dequeue(before) : std::nullopt;
  const PodId id = cluster_.PutPod(*pod);
  if (!id.valid()) {
    if (before.valid()) WakeAll(now);  // A pod has ended: there may be room for others.
    return;
  }
  if (cluster_.pod(id).state != PodState::kPending) return;
  PodArrived(id, same_pod && queued ? queued->timestamp : now);
}

void Engine::State::HandleGone(const api::Object& object, Instant now) {
  const api::ObjectKey key = api::KeyOf(object);
  std::visit(
      [&]<typename T>(const api::Ref<T>&) {
        if constexpr (std::is_same_v<T, api::Pod>) {
          const PodId id = cluster_.pods().Find(key.namespace_, key.name);
          if (id.valid()) Dequeue(id);
        }
        cluster_.Remove<T>(key);
      },
      object);
  WakeAll(now);
}

void Engine::State::PodArrived(PodId id, Instant since) {
  const PodRecord& record = cluster_.pod(id);
  Lane* lane = LaneFor(*record.object);
  if (lane == nullptr) return;
  const std::string& nominated = record.object->status.nominated_node_name;
  if (!nominated.empty()) cluster_.Nominate(id, cluster_.mutable_symbols().Intern(nominated));
  for (const PreEnqueuePlugin* plugin : lane->profile->pre_enqueue()) {
    if (plugin->PreEnqueue(cluster_, record).ok()) continue;
    gated_.insert(id);
    return;
  }
  queue_->Push({id, record.object->priority(), since, 0});
}

std::optional<QueuedPod> Engine::State::Dequeue(PodId id) {
  unschedulable_.erase(id);
  gated_.erase(id);
  return queue_->Remove(id);
}

// Tries the parked pods again: something has changed. (Which changes can help which pod is for the
// queue to know; here all of them may.)
void Engine::State::WakeAll(Instant now) {
  std::vector<PodId> parked(unschedulable_.begin(), unschedulable_.end());
  std::ranges::sort(parked);  // Hash order must not decide who comes first.
  unschedulable_.clear();
  for (PodId id : parked) PodArrived(id, now);
}

bool Engine::State::ScheduleOne(Instant now) {
  if (queue_->empty()) return false;
  const PodId id = queue_->Pop().pod;
  if (cluster_.pod(id).terminating()) return true;  // It will be gone before it could run.
  TryPod(id, *LaneFor(*cluster_.pod(id).object), now);
  return true;
}

void Engine::State::TryPod(PodId id, Lane& lane, Instant now) {
  auto pod = std::make_unique<const PodRecord>(cluster_.Retain(id));
  auto results = lane.results->For(*pod);
  Decision decision;
  decision.pod = id;
  decision.key = pod->key();
  if (explain_) {
    Attempt asked(cluster_, *lane.profile, *results, *pod);
    decision.explanation = ExplainAttempt(asked, now, random_);
  }

  auto attempt = std::make_unique<Attempt>(cluster_, *lane.profile, *results, *pod);
  const CycleOutcome outcome = FindNode(*attempt, now, random_);
  if (lane.paranoia != nullptr) lane.paranoia->Check(*attempt, outcome, now);

  if (outcome.kind == CycleOutcome::Kind::kNode) {
    const std::string& node = cluster_.nodes().name(outcome.node);
    Verdict refusal = Place(std::move(pod), std::move(results), std::move(attempt), outcome.node);
    if (refusal.ok()) {
      decision.node = node;
    } else {
      decision.kind = refusal.rejected() ? Decision::Kind::kUnschedulable : Decision::Kind::kFailed;
      decision.message = refusal.Message();
    }
  } else {
    decision.kind = outcome.kind == CycleOutcome::Kind::kError ? Decision::Kind::kFailed
                                                               : Decision::Kind::kUnschedulable;
    decision.message = outcome.Message();
    for (PodId victim : outcome.post_filter.victims) {
      decision.nominated_node = cluster_.symbols().Text(outcome.post_filter.nomination.node);
      decision.victims.push_back(cluster_.pod(victim).key());
    }
    HandleFailure(*pod, outcome);
    cluster_.Release(*pod);
  }
  Report(std::move(decision));
  Reap(/*wake_others=*/false);
}

// The pod waits; if preemption found room for it, that room is promised to it and its victims go.
void Engine::State::HandleFailure(const PodRecord& pod, const CycleOutcome& outcome) {
  const Nomination& nomination = outcome.post_filter.nomination;
  Park(pod.id);
  if (!nomination.replace) return;
  cluster_.Nominate(pod.id, nomination.node);
  if (!outcome.post_filter.victims.empty())
    Evict(pod, nomination.node, outcome.post_filter.victims);
}

Verdict Engine::State::Place(std::unique_ptr<const PodRecord> pod,
                             std::shared_ptr<ClassResults> results,
                             std::unique_ptr<Attempt> attempt, NodeRow node) {
  cluster_.Assume(pod->id, node);
  for (const ReservePlugin* plugin : attempt->profile().reserve()) {
    Verdict verdict = plugin->Reserve(attempt->cycle(), node);
    if (verdict.ok()) continue;
    Unreserve(attempt->cycle(), attempt->profile(), node);
    cluster_.Forget(pod->id);
    Park(pod->id);
    cluster_.Release(*pod);
    if (!verdict.rejected()) {
      return Verdict::Error(
          fmt::format("running Reserve plugin \"{}\": {}", plugin->name(), verdict.Message()));
    }
    Diagnosis diagnosis;
    diagnosis.all_nodes = 1;
    diagnosis.Add(node, std::move(verdict).By(plugin->name()));
    return {Code::kUnschedulable, diagnosis.Message()};
  }
  cluster_.HoldRow(node);  // Until the binding ends, whatever becomes of the node.
  auto binding = std::make_unique<BindingCycle>(
      std::move(pod), std::move(results), std::move(attempt), node, outbox_, finished_bindings_);
  BindingCycle& started = *binding;
  bindings_.emplace(&started, std::move(binding));
  started.Start();
  return {};
}

void Engine::State::Evict(const PodRecord& preemptor, Symbol node,
                          const std::vector<PodId>& victims) {
  Eviction::Plan plan = Eviction::MakePlan(cluster_, preemptor, node, victims);
  if (plan.victims.empty()) return;
  for (PodId id : std::vector<PodId>(cluster_.nominations().PodsOn(node))) {
    if (cluster_.pod(id).object->priority() < preemptor.object->priority())
      cluster_.Nominate(id, {});
  }
  cluster_.mutable_preemptions().Begin(preemptor.uid());
  auto eviction = std::make_unique<Eviction>(std::move(plan), outbox_,
                                             cluster_.mutable_preemptions(), finished_evictions_);
  Eviction& started = *eviction;
  evictions_.emplace(&started, std::move(eviction));
  started.Start();
}

void Engine::State::PassTime(Instant now) {
  outbox_.PassTime(now);
  Reap(/*wake_others=*/true);
}

void Engine::State::Reap(bool wake_others) {
  for (BindingCycle* binding : std::exchange(finished_bindings_, {})) {
    FinishBinding(*binding, wake_others);
  }
  for (Eviction* eviction : std::exchange(finished_evictions_, {})) FinishEviction(*eviction);
}

// The pod may be tried again. If not all victims went, nothing else may ever wake it.
void Engine::State::FinishEviction(Eviction& eviction) {
  const Eviction::Plan& plan = eviction.plan();
  cluster_.mutable_preemptions().End(plan.preemptor_uid);
  const PodId id = cluster_.pods().Find(plan.preemptor.namespace_, plan.preemptor.name);
  const bool waits = id.valid() && (gated_.contains(id) || unschedulable_.contains(id));
  if (waits && (gated_.contains(id) || !eviction.verdict().ok())) {
    Dequeue(id);
    PodArrived(id, outbox_.now());
  }
  evictions_.erase(&eviction);
}

// A bound pod stays assumed until the API shows it on its node. A pod that could not be bound waits
// again, unless it is gone or the API shows that it was bound after all.
void Engine::State::FinishBinding(BindingCycle& binding, bool wake_others) {
  const PodRecord& pod = binding.pod();
  if (!binding.verdict().ok()) {
    Unreserve(binding.cycle(), binding.profile(), binding.node());
    const bool still_ours = cluster_.pods().Contains(pod.id) &&
                            cluster_.pod(pod.id).uid() == pod.uid() &&
                            cluster_.pod(pod.id).state == PodState::kAssumed;
    if (still_ours) {
      cluster_.Forget(pod.id);
      if (wake_others) WakeAll(outbox_.now());
      Park(pod.id);
    }
    Decision decision;
    decision.pod = pod.id;
    decision.key = pod.key();
    decision.kind = Decision::Kind::kFailed;
    decision.message = binding.verdict().Message();
    Report(std::move(decision));
  }
  cluster_.Release(pod);
  cluster_.ReleaseRow(binding.node());
  bindings_.erase(&binding);
}

void Engine::State::Unreserve(Cycle& cycle, const Profile& profile, NodeRow node) {
  const auto plugins = profile.reserve();
  for (size_t i = plugins.size(); i-- > 0;) plugins[i]->Unreserve(cycle, node);
}

Result<Explanation> Engine::State::Explain(std::shared_ptr<const api::Pod> pod, Instant now) {
  Lane* lane = LaneFor(*pod);
  if (lane == nullptr) {
    return Fail(fmt::format("no profile serves schedulerName \"{}\" of pod {}/{}",
                            pod->spec.scheduler_name, pod->metadata.namespace_,
                            pod->metadata.name));
  }
  const PodRecord visitor = cluster_.MakeVisitor(std::move(pod));
  Explanation explanation;
  {
    auto results = lane->results->For(visitor);
    Attempt attempt(cluster_, *lane->profile, *results, visitor);
    explanation = ExplainAttempt(attempt, now, random_);
  }
  cluster_.Release(visitor);
  return explanation;
}

void Engine::State::Report(Decision decision) {
  if (observer_ != nullptr) observer_->OnDecision(decision);
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Make(const EngineOptions& options,
                                             const Registry& registry) {
  if (options.profiles.empty()) return Fail("at least one profile is required");
  auto state = std::make_unique<State>(options);
  for (const ProfileConfig& profile : options.profiles) {
    if (Status added = state->AddProfile(profile, registry); !added)
      return std::unexpected(added.error());
  }
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

void Engine::Handle(const Event& event, Instant now) { state_->Handle(event, now); }

size_t Engine::Schedule(Instant now, size_t limit) {
  state_->PassTime(now);
  size_t tried = 0;
  while (tried < limit && state_->ScheduleOne(now)) ++tried;
  return tried;
}

std::vector<Command> Engine::TakeCommands() { return state_->outbox_.TakeCommands(); }

void Engine::Observe(DecisionObserver* observer) { state_->observer_ = observer; }

Result<Explanation> Engine::Explain(std::shared_ptr<const api::Pod> pod, Instant now) {
  return state_->Explain(std::move(pod), now);
}

std::optional<Instant> Engine::next_wake() const { return state_->outbox_.next_wake(); }

const Cluster& Engine::cluster() const { return state_->cluster_; }

Engine::QueueSizes Engine::queue_sizes() const {
  return {state_->queue_->size(), state_->unschedulable_.size(), state_->gated_.size()};
}

}  // namespace berth
