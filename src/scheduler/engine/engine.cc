#include "scheduler/engine/engine.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <variant>

#include "scheduler/engine/engine_state.h"
#include "scheduler/model/pod_groups.h"

namespace berth::scheduler::engine {

framework::PluginMask ServedProfile::MaskOf(std::string_view plugin) const {
  if (plugin == framework::kExtenderPlugin) return queue::Rejectors::kExtender;
  for (const auto& known : profile->plugins()) {
    if (known->name() == plugin) return framework::PluginMask{1} << known->slot();
  }
  return 0;
}

queue::Rejectors ServedProfile::RejectorsIn(const framework::Diagnosis& diagnosis) const {
  queue::Rejectors rejectors;
  for (const std::string& plugin : diagnosis.rejected_by) rejectors.unschedulable |= MaskOf(plugin);
  for (const std::string& plugin : diagnosis.pending_on) rejectors.pending |= MaskOf(plugin);
  return rejectors;
}

// --- Engine::State ---

Engine::State::State(const EngineOptions& options, Profiles profiles)
    : explain_(options.explain),
      paranoid_(options.paranoid),
      equals_take_turns_(options.equals_take_turns),
      measurements_(options.measurements),
      attempts_(options.attempts),
      log_(options.log),
      random_(options.seed),
      cluster_(options.features),
      extenders_(options.extenders, outbox_, cluster_),
      profiles_(Serve(options, std::move(profiles))),
      queue_(cluster_, QueueOptions(options)),
      evictions_({cluster_, queue_, outbox_, measurements_,
                  [this](const std::string& uid) { return StopBinding(uid); },
                  [this](const std::string& uid) { return IsStopping(uid); }, log_}) {
  std::set<std::string> scheduler_names;
  for (size_t i = 0; i < profiles_.size(); ++i) {
    profile_of_.emplace(profiles_[i].profile->scheduler_name(), i);
    scheduler_names.insert(profiles_[i].profile->scheduler_name());
  }
  cluster_.mutable_groups().CountPendingPodsOf(std::move(scheduler_names));
}

std::vector<ServedProfile> Engine::State::Serve(const EngineOptions& options, Profiles profiles) {
  std::vector<ServedProfile> served;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const framework::ProfileConfig& config = options.profiles[i];
    auto results =
        std::make_unique<framework::ClassResultsCache>(*profiles[i], cluster_, options.workers);
    // DIFFERS: without a configured percentage, every node is evaluated.
    std::optional<int32_t> percentage = config.percentage_of_nodes_to_score;
    if (percentage.value_or(0) == 0 || percentage == 100) percentage.reset();
    // The reference implementation neither calls extenders nor samples nodes.
    const bool checked = paranoid_ && extenders_.empty() && !percentage;
    auto paranoid_check =
        checked ? std::make_unique<ParanoidCheck>(config, options.features) : nullptr;
    served.push_back(
        {std::move(profiles[i]), std::move(results), std::move(paranoid_check), percentage});
  }
  return served;
}

queue::SchedulingQueue::Options Engine::State::QueueOptions(const EngineOptions& options) const {
  std::vector<const framework::Profile*> profiles;
  for (const ServedProfile& served : profiles_) profiles.push_back(served.profile.get());
  if (measurements_ != nullptr) measurements_->Serve(profiles);
  return {.backoff = options.backoff,
          .max_in_unschedulable_pods = options.max_in_unschedulable_pods,
          .profiles = std::move(profiles),
          .has_extenders = !extenders_.empty(),
          .pop_from_backoff = options.features.scheduler_pop_from_backoff_q,
          .measurements = measurements_,
          .name_wakes = attempts_ != nullptr,
          .log = log_};
}

void Engine::State::Handle(const Event& event, const Now& time) {
  if (cycle_waits()) return HandleDuringCycle(event, time);
  PassTime(time);
  const int64_t since = measurements_ == nullptr ? 0 : measurements_->Read();
  const HandledEvents handled = std::visit([this](const auto& known) { return On(known); }, event);
  Reap();
  DropRemovedClasses();
  if (handled.empty() || measurements_ == nullptr) return;
  const Duration took{measurements_->Read() - since};
  for (framework::EventType type : handled) measurements_->EventHandled(type, took);
}

void Engine::State::DropRemovedClasses() {
  if (removed_classes_ == cluster_.classes().removed()) return;
  removed_classes_ = cluster_.classes().removed();
  for (const ServedProfile& served : profiles_) served.results->DropRemovedClasses();
}

void Engine::State::HandleDuringCycle(const Event& event, const Now& time) {
  const auto* done = std::get_if<WriteDone>(&event);
  if (done == nullptr || !outbox_.CycleWaitsFor(done->id)) {
    deferred_events_.emplace_back(event, time);
    return;
  }
  outbox_.WriteEnded(done->id, done->result);
  if (cycle_ != nullptr) {
    if (!cycle_->search.done()) return;
    FinishCycle();
  } else {
    if (!group_cycle_->task->done()) return;
    group_cycle_.reset();
    Reap();
  }
  // None of these starts another cycle.
  for (auto& [deferred, at] : std::exchange(deferred_events_, {})) Handle(deferred, at);
}

Engine::State::HandledEvents Engine::State::On(const WriteDone& done) {
  if (!status_.WriteEnded(done.id, done.result)) outbox_.WriteEnded(done.id, done.result);
  return {};
}

Engine::State::HandledEvents Engine::State::On(const PermitDecision& decision) {
  if (decision.allow) {
    waiting_.Allow(decision.uid, decision.plugin);
  } else {
    waiting_.Reject(decision.uid, decision.plugin, decision.message);
  }
  return {};
}

void Engine::State::PassTime(const Now& time) {
  if (cycle_waits()) return;  // Nothing may change during a cycle that waits.
  outbox_.PassTime(time);
  status_.PassTime(now());
  waiting_.PassTime(now());
  queue_.PassTime(now());
  Reap();
}

void Engine::State::ReportSizes() const {
  if (measurements_ == nullptr) return;
  measurements_->SizesAre(Sizes());
}

framework::EngineSizes Engine::State::Sizes() const {
  const queue::SchedulingQueue::Sizes waiting = queue_.sizes();
  return {.active = waiting.active,
          .backoff = waiting.backoff,
          .unschedulable = waiting.unschedulable,
          .gated = waiting.gated,
          .bindings = bindings_.size(),
          .evictions = evictions_.size(),
          .waiting = waiting_.all().size(),
          .nodes = cluster_.nodes().present_count(),
          .pods = cluster_.placed_pods(),
          .assumed_pods = cluster_.assumed_pods()};
}

std::optional<Instant> Engine::State::next_wake() const {
  if (cycle_waits()) return std::nullopt;  // No time passes until its command ends.
  std::optional<Instant> next;
  for (std::optional<Instant> wake :
       {outbox_.next_wake(), status_.next_wake(), waiting_.next_wake(), queue_.next_wake()}) {
    if (wake && (!next || *wake < *next)) next = wake;
  }
  return next;
}

// --- Engine ---

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Make(const EngineOptions& options,
                                             const framework::Registry& registry) {
  if (options.profiles.empty()) return Fail("at least one profile is required");
  State::Profiles profiles;
  std::set<std::string_view> names;
  for (const framework::ProfileConfig& config : options.profiles) {
    auto profile = framework::Profile::Build(config, registry);
    if (!profile) {
      return Fail(fmt::format("creating profile for scheduler name {}: {}", config.scheduler_name,
                              profile.error().message));
    }
    if (!names.insert(config.scheduler_name).second) {
      return Fail(
          fmt::format("duplicate profile with scheduler name \"{}\"", config.scheduler_name));
    }
    profiles.push_back(*std::move(profile));
  }
  return std::unique_ptr<Engine>(new Engine(std::make_unique<State>(options, std::move(profiles))));
}

void Engine::Handle(const Event& event, const Now& now) {
  state_->Handle(event, now);
  state_->ReportSizes();
}

size_t Engine::Schedule(const Now& now, size_t limit) {
  state_->PassTime(now);
  size_t tried = 0;
  while (tried < limit && state_->ScheduleOne()) ++tried;
  state_->ReportSizes();
  if (state_->attempts_ != nullptr) state_->attempts_->OnSizes(state_->present(), state_->Sizes());
  return tried;
}

std::vector<Command> Engine::TakeCommands(size_t limit) {
  std::vector<Command> commands = state_->outbox_.TakeCommands(limit);
  if (AttemptObserver* observer = state_->attempts_) {
    for (const Command& command : commands)
      observer->OnCommand(state_->present(), framework::LaneOf(command.write));
  }
  return commands;
}

void Engine::Observe(DecisionObserver* observer) { state_->observer_ = observer; }

Result<Explanation> Engine::Explain(std::shared_ptr<const api::Pod> pod, Instant now) {
  return state_->Explain(std::move(pod), now);
}

Result<bool> Engine::MightDecide(std::shared_ptr<const api::Pod> pod, const std::string& node,
                                 bool* has_equals) {
  return state_->MightDecide(std::move(pod), node, has_equals);
}

Result<Decision> Engine::Preview(std::shared_ptr<const api::Pod> pod, Instant now) {
  return state_->Preview(std::move(pod), now);
}

Result<PodFit> Engine::Evaluate(std::shared_ptr<const api::Pod> pod,
                                std::span<const std::string> nodes, Instant now) {
  return state_->Evaluate(std::move(pod), nodes, now);
}

Result<GroupPreview> Engine::PreviewGroup(const api::ObjectKey& group) {
  return state_->PreviewGroup(group);
}

bool Engine::Serves(const api::Pod& pod) const {
  return state_->handlers_.ProfileOf(pod).has_value();
}

void Engine::DropCaches() {
  state_->failure_cache_.Clear();
  for (const ServedProfile& served : state_->profiles_) served.results->Clear();
  state_->cluster_.DropUnused();
}

std::optional<Instant> Engine::next_wake() const { return state_->next_wake(); }

const model::Cluster& Engine::cluster() const { return state_->cluster_; }
const queue::SchedulingQueue& Engine::queue() const { return state_->queue_; }
const framework::WaitingPods& Engine::waiting_pods() const { return state_->waiting_; }
size_t Engine::bindings_under_way() const { return state_->bindings_.size(); }
size_t Engine::background_tasks() const { return state_->background_.size(); }
bool Engine::cycle_waits() const { return state_->cycle_waits(); }
std::vector<std::string> Engine::pods_in_cycle() const {
  std::vector<std::string> uids;
  if (state_->group_cycle_ != nullptr) {
    for (const GroupMember& member : state_->group_cycle_->members)
      uids.push_back(member.pod->uid());
  } else if (state_->cycle_ != nullptr) {
    uids.push_back(state_->cycle_->placement.pod->uid());
  } else if (state_->preempting_ != nullptr) {
    uids.push_back(state_->preempting_->cycle->placement.pod->uid());
  }
  return uids;
}

}  // namespace berth::scheduler::engine
