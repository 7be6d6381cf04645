#include "benchmark/synthetic_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "benchmark/timed_engine.h"
#include "simulation/api_model.h"

namespace berth::benchmark {
namespace {

using scheduler::engine::Command;
using scheduler::engine::Event;
using scheduler::framework::BindPod;
using scheduler::framework::DeletePod;
using scheduler::framework::UpdatePersistentVolumeClaim;
using simulation::KeyOf;

// How many pods are tried between two looks at the environment.
constexpr size_t kPodsPerStep = 100;
constexpr size_t kObjectsPerLoad = 1'000;
// Far longer than the longest backoff; a world with more deciding than that is too large.
constexpr Duration kPatience = Duration::Seconds(3'600);

// SyntheticRun is one world in one engine.
//
// Where results of writes matter, an ApiModel executes them: victims must go, and claims must get
// their versions and volumes. Elsewhere there is none, so that the memory is that of the engine.
class SyntheticRun {
 public:
  SyntheticRun(const WorldOptions& options, std::unique_ptr<scheduler::engine::Engine> engine,
               const Environment& environment)
      : options_(options),
        world_(options),
        engine_(std::move(engine), clock_, environment.engine_nanos),
        environment_(environment) {
    if (options.mix != Mix::kPreemption && options.mix != Mix::kDevices &&
        options.mix != Mix::kUnboundVolumes)
      return;
    api_ = std::make_unique<simulation::ApiModel>([this](const simulation::Change& change) {
      changes_.push_back(change.deleted ? Event(scheduler::engine::ObjectDeleted{change.object})
                                        : Event(scheduler::engine::ObjectPut{change.object}));
    });
  }

  void Load() {
    world_.ForEachObject([this](const api::Object& object) { Put(object); });
    for (size_t i = 0; i < options_.pods && !Interrupted(); ++i) {
      for (const api::Object& object : world_.ObjectsOf(i)) Put(object);
      Put(api::Object(world_.Pod(i)));
      if (i % kPodsPerStep == 0) {
        environment_.show(
            fmt::format("{}: loaded {} of {} pods", options_.Name(), i, options_.pods));
      }
    }
    LoadChanges();
  }

  // Schedules until no pod is left, or those that are left fit nowhere.
  void Schedule() {
    const Instant end = clock_.Now() + kPatience;
    while (bound_ < options_.pods && clock_.Now() < end && !Interrupted()) {
      std::vector<Command> commands;
      const size_t tried = engine_.Schedule(kPodsPerStep, commands);
      ExecuteCommands(std::move(commands));
      if (!timeline_.empty() || bound_ > 0) {
        timeline_.push_back({Busy(), bound_ - std::exchange(counted_, bound_)});
      }
      resident_ = std::max(resident_, environment_.resident_bytes());
      environment_.show(
          fmt::format("{}: {} of {} pods, {:.0f} pods/s", options_.Name(), bound_, options_.pods,
                      static_cast<double>(bound_) / std::max(Busy().seconds(), 1e-9)));
      if (tried > 0) continue;
      // Backoff: time that nobody works.
      const auto wake = engine_.engine().next_wake();
      if (!wake) break;
      if (*wake > clock_.Now()) clock_.Advance(*wake - clock_.Now());
    }
  }

  Measurement Measured() const {
    Measurement measured;
    measured.name = options_.Name();
    measured.pods = bound_;
    measured.rates = RatesOf(timeline_);
    measured.duration = Busy();
    measured.deciding = engine_.time().deciding;
    measured.events = engine_.time().events;
    measured.loading = engine_.time().loading;
    measured.attempts = engine_.attempts();
    measured.decision_time = engine_.decision_time();
    measured.resident_bytes = std::max(resident_, environment_.resident_bytes());
    measured.interrupted = interrupted_;
    return measured;
  }
  uint64_t bound() const { return bound_; }

 private:
  Duration Busy() const { return engine_.time().deciding + engine_.time().events; }

  bool Interrupted() { return interrupted_ = interrupted_ || environment_.interrupted(); }

  void Put(const api::Object& object) {
    if (api_ == nullptr) {
      changes_.emplace_back(scheduler::engine::ObjectPut{object});
    } else {
      std::visit([&]<typename T>(const api::Ref<T>& ref) { api_->Update(*ref); }, object);
    }
    if (changes_.size() >= kObjectsPerLoad) LoadChanges();
  }

  void LoadChanges() {
    engine_.Load(changes_);
    changes_.clear();
  }

  // Executes the commands, and those that follow from their results.
  void ExecuteCommands(std::vector<Command> commands) {
    for (; !commands.empty(); commands = engine_.TakeCommands()) {
      std::vector<Event> results;
      for (const Command& command : commands) {
        scheduler::framework::WriteResult result;
        if (api_ != nullptr) result = Execute(command);
        bound_ += std::holds_alternative<BindPod>(command.write) && result.ok();
        results.emplace_back(scheduler::engine::WriteDone{command.id, std::move(result)});
      }
      engine_.Handle(results);
      engine_.Handle(std::exchange(changes_, {}));
    }
  }

  scheduler::framework::WriteResult Execute(const Command& command) {
    if (const auto* deletion = std::get_if<DeletePod>(&command.write)) {
      api_->FinishDeletion(deletion->pod);
      return {};
    }
    auto result = api_->Execute(command.write, clock_.Now());
    const auto* selection = std::get_if<UpdatePersistentVolumeClaim>(&command.write);
    if (selection != nullptr && result.ok()) Provision(KeyOf(selection->object->metadata));
    return result;
  }

  // Binds the claim to a new volume.
  void Provision(const api::ObjectKey& key) {
    api::PersistentVolumeClaim claim = *api_->Find<api::PersistentVolumeClaim>(key);
    api::PersistentVolume volume = SyntheticWorld::VolumeFor(claim);
    SyntheticWorld::Bind(claim, volume);
    api_->Create(std::move(volume));
    api_->Update(std::move(claim));
  }

  const WorldOptions options_;
  const SyntheticWorld world_;
  SimClock clock_{Instant::FromUnixSeconds(1'700'000'000)};
  TimedEngine engine_;
  const Environment& environment_;
  std::unique_ptr<simulation::ApiModel> api_;  // May be null.
  std::vector<Event> changes_;  // That the API has shown, but not the engine handled.
  std::vector<BoundPods> timeline_;
  uint64_t bound_ = 0;
  uint64_t counted_ = 0;  // In the timeline.
  uint64_t resident_ = 0;
  bool interrupted_ = false;
};

}  // namespace

Result<Measurement> RunSyntheticWorld(const WorldOptions& world,
                                      const scheduler::engine::EngineOptions& options,
                                      const scheduler::framework::Registry& registry,
                                      const Environment& environment) {
  auto engine = scheduler::engine::Engine::Make(options, registry);
  if (!engine) return std::unexpected(engine.error());
  SyntheticRun run(world, *std::move(engine), environment);
  run.Load();
  run.Schedule();
  Measurement measured = run.Measured();
  if (!measured.interrupted && run.bound() < world.pods) {
    return Fail(fmt::format("{}: {} of {} pods were scheduled, the others fit nowhere",
                            world.Name(), run.bound(), world.pods));
  }
  return measured;
}

}  // namespace berth::benchmark
