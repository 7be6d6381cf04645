#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "engine/binding_cycle.h"
#include "engine/class_cache.h"
#include "engine/explain.h"
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
};

}  // namespace

class Engine::State {
 public:
  explicit State(const EngineOptions& options)
      : explain_(options.explain), paranoid_(options.paranoid), random_(options.seed) {}

  Status AddProfile(const ProfileConfig& config, const Registry& registry);

  void Handle(const Event& event, Instant now);
  bool ScheduleOne(Instant now);
  // Lets the binding cycles go on that wait for a time up to `now`.
  void PassTime(Instant now);
  std::optional<Instant> next_wake() const;

  Result<Explanation> Explain(std::shared_ptr<const api::Pod> pod, Instant now);

  Cluster cluster_;
  std::unique_ptr<ActiveQueue> queue_;  // Made with the first profile.
  std::unordered_set<PodId> unschedulable_;
  std::unordered_set<PodId> gated_;
  std::vector<Command> commands_;
  DecisionObserver* observer_ = nullptr;

 private:
  void HandlePut(const api::Object& object, Instant now);
  void HandleGone(const api::Object& object, Instant now);
  void HandleWriteDone(const WriteDone& done);

  // The profile that serves the pod, or null.
  Lane* LaneFor(const api::Pod& pod);
  void PodArrived(PodId id, Instant since);
  // Takes the pod from wherever it waits; returns its entry if it was ready to be tried.
  std::optional<QueuedPod> Dequeue(PodId id);
  void WakeAll(Instant now);

  void TryPod(PodId id, Lane& lane, Instant now);
  void Place(std::unique_ptr<const PodRecord> pod, std::shared_ptr<ClassResults> results,
             std::unique_ptr<Attempt> attempt, NodeRow node);
  BindingCycle::Services ServicesForBinding();
  void FinishIfDone(BindingCycle& binding);
  void Unreserve(Cycle& cycle, const Profile& profile, NodeRow node);
  void Park(PodId id) { unschedulable_.insert(id); }
  void Report(Decision decision);

  const bool explain_;
  const bool paranoid_;
  Random random_;
  std::map<std::string, Lane, std::less<>> lanes_;  // By scheduler name.

  // Binding cycles under way, and the writes that they wait for.
  struct AwaitedWrite {
    BindingCycle* binding;
    std::function<void(WriteResult)> done;
  };
  std::unordered_map<const BindingCycle*, std::unique_ptr<BindingCycle>> bindings_;
  std::unordered_map<CommandId, AwaitedWrite> awaited_;
  uint32_t next_command_ = 0;

  // Binding cycles that wait for time to pass, by when they go on; those of one instant in the
  // order in which they began to wait.
  struct Sleeper {
    BindingCycle* binding;
    std::function<void()> resume;
  };
  Instant now_;
  std::map<std::pair<Instant, uint64_t>, Sleeper> sleepers_;
  uint64_t next_sleeper_ = 0;
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
  Lane lane{*std::move(profile), nullptr};
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
    HandleWriteDone(std::get<WriteDone>(event));
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
  if (!id.valid() || cluster_.pod(id).state != PodState::kPending) return;
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
  for (PodId id : parked) queue_->Push({id, cluster_.pod(id).object->priority(), now, 0});
}

bool Engine::State::ScheduleOne(Instant now) {
  if (queue_->empty()) return false;
  const PodId id = queue_->Pop().pod;
  TryPod(id, *LaneFor(*cluster_.pod(id).object), now);
  return true;
}

void Engine::State::TryPod(PodId id, Lane& lane, Instant now) {
  auto pod = std::make_unique<const PodRecord>(cluster_.Retain(id));
  auto results = lane.results->For(*pod);
  Decision decision{id, pod->key(), Decision::Kind::kPlaced, "", "", std::nullopt};
  if (explain_) {
    Attempt asked(cluster_, *lane.profile, *results, *pod);
    decision.explanation = ExplainAttempt(asked, now, random_);
  }

  auto attempt = std::make_unique<Attempt>(cluster_, *lane.profile, *results, *pod);
  const CycleOutcome outcome = FindNode(*attempt, now, random_);
  if (paranoid_) CheckAgainstFreshAttempt(*attempt, outcome);

  if (outcome.kind == CycleOutcome::Kind::kNode) {
    decision.node = cluster_.nodes().name(outcome.node);
    Place(std::move(pod), std::move(results), std::move(attempt), outcome.node);
  } else {
    decision.kind = outcome.kind == CycleOutcome::Kind::kError ? Decision::Kind::kFailed
                                                               : Decision::Kind::kUnschedulable;
    decision.message = outcome.Message();
    if (outcome.post_filter.nomination.replace)
      cluster_.Nominate(id, outcome.post_filter.nomination.node);
    Park(id);
    cluster_.Release(*pod);
  }
  Report(std::move(decision));
}

void Engine::State::Place(std::unique_ptr<const PodRecord> pod,
                          std::shared_ptr<ClassResults> results, std::unique_ptr<Attempt> attempt,
                          NodeRow node) {
  cluster_.Assume(pod->id, node);
  for (const ReservePlugin* plugin : attempt->profile().reserve()) {
    if (plugin->Reserve(attempt->cycle(), node).ok()) continue;
    Unreserve(attempt->cycle(), attempt->profile(), node);
    cluster_.Forget(pod->id);
    Park(pod->id);
    cluster_.Release(*pod);
    return;
  }
  auto binding = std::make_unique<BindingCycle>(std::move(pod), std::move(results),
                                                std::move(attempt), node, ServicesForBinding());
  BindingCycle& started = *binding;
  bindings_.emplace(&started, std::move(binding));
  started.Start();
  FinishIfDone(started);
}

BindingCycle::Services Engine::State::ServicesForBinding() {
  return {.issue =
              [this](BindingCycle& binding, ApiWrite write, std::function<void(WriteResult)> done) {
                const CommandId command{next_command_++};
                commands_.push_back({command, std::move(write)});
                awaited_.emplace(command, AwaitedWrite{&binding, std::move(done)});
              },
          .wake =
              [this](BindingCycle& binding, Duration length, std::function<void()> resume) {
                sleepers_.emplace(std::pair(now_ + length, next_sleeper_++),
                                  Sleeper{&binding, std::move(resume)});
              },
          .now = [this] { return now_; }};
}

void Engine::State::PassTime(Instant now) {
  now_ = std::max(now_, now);
  while (!sleepers_.empty() && sleepers_.begin()->first.first <= now_) {
    const Sleeper sleeper = std::move(sleepers_.begin()->second);
    sleepers_.erase(sleepers_.begin());
    sleeper.resume();
    FinishIfDone(*sleeper.binding);
  }
}

std::optional<Instant> Engine::State::next_wake() const {
  if (sleepers_.empty()) return std::nullopt;
  return sleepers_.begin()->first.first;
}

void Engine::State::HandleWriteDone(const WriteDone& done) {
  auto found = awaited_.find(done.id);
  if (found == awaited_.end()) return;  // Not ours, or reported twice.
  const AwaitedWrite awaited = std::move(found->second);
  awaited_.erase(found);
  awaited.done(done.result);
  FinishIfDone(*awaited.binding);
}

// A bound pod stays assumed until the API shows it on its node. A pod that could not be bound waits
// again, unless it is gone or the API shows that it was bound after all.
void Engine::State::FinishIfDone(BindingCycle& binding) {
  if (!binding.done()) return;
  const PodRecord& pod = binding.pod();
  if (!binding.verdict().ok()) {
    Unreserve(binding.cycle(), binding.profile(), binding.node());
    const bool still_ours = cluster_.pods().Contains(pod.id) &&
                            cluster_.pod(pod.id).uid() == pod.uid() &&
                            cluster_.pod(pod.id).state == PodState::kAssumed;
    if (still_ours) {
      cluster_.Forget(pod.id);
      Park(pod.id);
    }
    Report({pod.id, pod.key(), Decision::Kind::kFailed, "", binding.verdict().Message(),
            std::nullopt});
  }
  cluster_.Release(pod);
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

std::vector<Command> Engine::TakeCommands() { return std::exchange(state_->commands_, {}); }

void Engine::Observe(DecisionObserver* observer) { state_->observer_ = observer; }

Result<Explanation> Engine::Explain(std::shared_ptr<const api::Pod> pod, Instant now) {
  return state_->Explain(std::move(pod), now);
}

std::optional<Instant> Engine::next_wake() const { return state_->next_wake(); }

const Cluster& Engine::cluster() const { return state_->cluster_; }

Engine::QueueSizes Engine::queue_sizes() const {
  return {state_->queue_->size(), state_->unschedulable_.size(), state_->gated_.size()};
}

}  // namespace berth
