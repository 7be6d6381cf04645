#include "scheduler/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/engine/engine_state.h"

namespace berth::scheduler::engine {

// --- the state as a whole ---

framework::PluginMask ServedProfile::MaskOf(std::string_view plugin) const {
  if (plugin == "Extender") return queue::Rejectors::kExtender;
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

Status EngineState::AddProfile(const framework::ProfileConfig& config,
                               const framework::Registry& registry) {
  auto profile = framework::Profile::Build(config, registry);
  if (!profile) {
    return Fail(fmt::format("creating profile for scheduler name {}: {}", config.scheduler_name,
                            profile.error().message));
  }
  if (!profile_of_.emplace(config.scheduler_name, profiles_.size()).second) {
    return Fail(fmt::format("duplicate profile with scheduler name \"{}\"", config.scheduler_name));
  }
  auto results = std::make_unique<framework::ClassResultsCache>(**profile, cluster_, workers_);
  // DIFFERS: where the user leaves it open, every node is looked at.
  std::optional<int32_t> percentage = config.percentage_of_nodes_to_score;
  if (percentage.value_or(0) == 0 || percentage == 100) percentage.reset();
  // The slow twin neither asks extenders nor looks at a part of the nodes.
  const bool checked = paranoid_ && extenders_.empty() && !percentage;
  auto paranoid_check = checked ? std::make_unique<ParanoidCheck>(config) : nullptr;
  profiles_.push_back(
      {*std::move(profile), std::move(results), std::move(paranoid_check), percentage});
  return {};
}

Result<std::unique_ptr<EngineState>> EngineState::Make(const EngineOptions& options,
                                                       const framework::Registry& registry) {
  if (options.profiles.empty()) return Fail("at least one profile is required");
  std::unique_ptr<EngineState> state(new EngineState(options));
  queue::SchedulingQueue::Options queue{
      .backoff = options.backoff,
      .max_in_unschedulable_pods = options.max_in_unschedulable_pods,
      .profiles = {},
      .has_extenders = !options.extenders.empty(),
      .measurements = options.measurements};
  for (const framework::ProfileConfig& profile : options.profiles) {
    if (Status added = state->AddProfile(profile, registry); !added)
      return std::unexpected(added.error());
    queue.profiles.push_back(state->profiles_.back().profile.get());
  }
  if (options.measurements != nullptr) options.measurements->Serve(queue.profiles);
  state->queue_ = std::make_unique<queue::SchedulingQueue>(state->cluster_, std::move(queue));
  return state;
}

void EngineState::PassTime(Instant time) {
  if (cycle_ != nullptr) return;  // Nothing may change under a cycle that waits.
  outbox_.PassTime(time);
  status_.PassTime(now());
  waiting_.PassTime(now());
  queue_->PassTime(now());
  Reap();
}

void EngineState::ReportSizes() const {
  if (measurements_ == nullptr) return;
  const queue::SchedulingQueue::Sizes waiting = queue_->sizes();
  measurements_->SizesAre({.active = waiting.active,
                           .backoff = waiting.backoff,
                           .unschedulable = waiting.unschedulable,
                           .gated = waiting.gated,
                           .bindings = bindings_.size(),
                           .evictions = evictions_.size(),
                           .nodes = cluster_.nodes().present_count(),
                           .pods = cluster_.placed_pods(),
                           .assumed_pods = cluster_.assumed_pods()});
}

std::optional<Instant> EngineState::next_wake() const {
  std::optional<Instant> next;
  for (std::optional<Instant> wake :
       {outbox_.next_wake(), status_.next_wake(), waiting_.next_wake(), queue_->next_wake()}) {
    if (wake && (!next || *wake < *next)) next = wake;
  }
  return next;
}

// --- its face ---

Engine::Engine(std::unique_ptr<EngineState> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Make(const EngineOptions& options,
                                             const framework::Registry& registry) {
  auto state = EngineState::Make(options, registry);
  if (!state) return std::unexpected(state.error());
  return std::unique_ptr<Engine>(new Engine(*std::move(state)));
}

void Engine::Handle(const Event& event, Instant now) {
  state_->Handle(event, now);
  state_->ReportSizes();
}

size_t Engine::Schedule(Instant now, size_t limit) {
  state_->PassTime(now);
  size_t tried = 0;
  while (tried < limit && state_->ScheduleOne()) ++tried;
  state_->ReportSizes();
  return tried;
}

std::vector<Command> Engine::TakeCommands(size_t limit) { return state_->TakeCommands(limit); }

void Engine::Observe(DecisionObserver* observer) { state_->Observe(observer); }

Result<Explanation> Engine::Explain(std::shared_ptr<const api::Pod> pod, Instant now) {
  return state_->Explain(std::move(pod), now);
}

std::optional<Instant> Engine::next_wake() const { return state_->next_wake(); }

const model::Cluster& Engine::cluster() const { return state_->cluster(); }
const queue::SchedulingQueue& Engine::queue() const { return state_->queue(); }
const framework::WaitingPods& Engine::waiting_pods() const { return state_->waiting(); }
size_t Engine::bindings_under_way() const { return state_->bindings(); }

}  // namespace berth::scheduler::engine
