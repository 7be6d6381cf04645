#include "scheduler/engine/engine.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

#include "scheduler/engine/engine_parts.h"

namespace berth::scheduler::engine {
namespace {

queue::SchedulingQueue::Options QueueOptions(const EngineOptions& options,
                                             const ServedProfiles& profiles) {
  return {.backoff = options.backoff,
          .max_in_unschedulable_pods = options.max_in_unschedulable_pods,
          .profiles = profiles.plugins(),
          .has_extenders = !options.extenders.empty(),
          .pop_from_backoff = options.features.scheduler_pop_from_backoff_q,
          .measurements = options.measurements,
          .name_wakes = options.attempts != nullptr,
          .log = framework::Log(options.log)};
}

}  // namespace

Engine::Parts::Parts(const EngineOptions& options, ServedProfiles::Profiles profiles_of_options)
    : measurements(options.measurements),
      log(options.log),
      cluster(options.features),
      extenders(options.extenders, outbox, cluster),
      profiles(options.profiles, std::move(profiles_of_options), cluster, options.workers),
      queue(cluster, QueueOptions(options, profiles)),
      handlers(cluster, queue, waiting, outbox, conditions, profiles, log),
      reporter(cluster, profiles, outbox, measurements, options.attempts),
      failures({cluster, queue, outbox, status, handlers, reporter, log}),
      bindings({cluster, queue, waiting, outbox, status, extenders, profiles, handlers, failures,
                reporter, log}),
      evictions({cluster, queue, outbox, measurements,
                 [this](const std::string& uid) { return bindings.Stop(uid); },
                 [this](const std::string& uid) { return bindings.IsStopping(uid); }, log}),
      trials(options,
             {cluster, profiles, waiting, outbox, background, extenders, evictions, reporter, log}),
      pods({cluster, queue, outbox, trials, bindings, evictions, failures, reporter, log}),
      groups(options, {cluster, queue, outbox, status, profiles, trials, pods, bindings, evictions,
                       failures, reporter, conditions, measurements, !extenders.empty(), log}),
      loop({cluster, queue, outbox, pods, groups, handlers, bindings, evictions, background, log}),
      intake({outbox, status, waiting, queue, handlers, profiles, loop, measurements}),
      questions(cluster, profiles, trials.turns()) {
  if (measurements != nullptr) measurements->Serve(profiles.plugins());
}

void Engine::Parts::ReportSizes() const {
  if (measurements != nullptr) measurements->SizesAre(Sizes());
}

framework::EngineSizes Engine::Parts::Sizes() const {
  const queue::SchedulingQueue::Sizes in_queue = queue.sizes();
  return {.active = in_queue.active,
          .backoff = in_queue.backoff,
          .unschedulable = in_queue.unschedulable,
          .gated = in_queue.gated,
          .bindings = bindings.size(),
          .evictions = evictions.size(),
          .waiting = waiting.all().size(),
          .nodes = cluster.nodes().present_count(),
          .pods = cluster.placed_pods(),
          .assumed_pods = cluster.assumed_pods()};
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::Make(const EngineOptions& options,
                                             const framework::Registry& registry) {
  if (options.profiles.empty()) return Fail("at least one profile is required");
  ServedProfiles::Profiles profiles;
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
  return std::unique_ptr<Engine>(new Engine(std::make_unique<Parts>(options, std::move(profiles))));
}

void Engine::Handle(const Event& event, const Now& now) {
  parts_->intake.Handle(event, now);
  parts_->ReportSizes();
}

size_t Engine::Schedule(const Now& now, size_t limit) {
  parts_->intake.PassTime(now);
  size_t tried = 0;
  while (tried < limit && parts_->loop.ScheduleOne()) ++tried;
  parts_->ReportSizes();
  if (AttemptObserver* observer = parts_->reporter.attempts())
    observer->OnSizes(parts_->outbox.present(), parts_->Sizes());
  return tried;
}

std::vector<Command> Engine::TakeCommands(size_t limit) {
  std::vector<Command> commands = parts_->outbox.TakeCommands(limit);
  if (AttemptObserver* observer = parts_->reporter.attempts()) {
    for (const Command& command : commands)
      observer->OnCommand(parts_->outbox.present(), framework::LaneOf(command.write));
  }
  return commands;
}

void Engine::Observe(DecisionObserver* observer) { parts_->reporter.Observe(observer); }

Result<Explanation> Engine::Explain(std::shared_ptr<const api::Pod> pod, Instant now) {
  return parts_->questions.Explain(std::move(pod), now);
}

Result<bool> Engine::MightDecide(std::shared_ptr<const api::Pod> pod, const std::string& node,
                                 bool* has_equals) {
  return parts_->questions.MightDecide(std::move(pod), node, has_equals);
}

Result<Decision> Engine::Preview(std::shared_ptr<const api::Pod> pod, Instant now) {
  return parts_->questions.Preview(std::move(pod), now);
}

Result<PodFit> Engine::Evaluate(std::shared_ptr<const api::Pod> pod,
                                std::span<const std::string> nodes, Instant now) {
  return parts_->questions.Evaluate(std::move(pod), nodes, now);
}

Result<groups::GroupPreview> Engine::PreviewGroup(const api::ObjectKey& group) {
  if (cycle_waits()) return Fail("a scheduling cycle is waiting for a response");
  return parts_->groups.Preview(group);
}

bool Engine::Serves(const api::Pod& pod) const { return parts_->profiles.For(pod).has_value(); }

void Engine::DropCaches() {
  parts_->pods.DropCaches();
  parts_->profiles.Clear();
  parts_->cluster.DropUnused();
}

std::optional<Instant> Engine::next_wake() const { return parts_->intake.next_wake(); }

const model::Cluster& Engine::cluster() const { return parts_->cluster; }
const queue::SchedulingQueue& Engine::queue() const { return parts_->queue; }
const framework::WaitingPods& Engine::waiting_pods() const { return parts_->waiting; }
size_t Engine::bindings_under_way() const { return parts_->bindings.size(); }
size_t Engine::background_tasks() const { return parts_->background.size(); }
bool Engine::cycle_waits() const { return parts_->loop.waits(); }
std::vector<std::string> Engine::pods_in_cycle() const { return parts_->loop.pods_in_cycle(); }

}  // namespace berth::scheduler::engine
