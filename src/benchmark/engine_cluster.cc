#include "benchmark/engine_cluster.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "api/scheme/scheme.h"

namespace berth::benchmark {
namespace {

// As many as a driver tries between two looks at its events.
constexpr size_t kDecisionsPerStep = 100;
constexpr uint64_t kApiSeed = 1;
// Everybody reads after a few hundred changes; what nobody reads would count as memory.
constexpr size_t kShortHistory = 10'000;

}  // namespace

Result<std::unique_ptr<BenchCluster>> EngineCluster::Make(
    const scheduler::engine::EngineOptions& options, const scheduler::framework::Registry& registry,
    Instant start, bool controllers, int64_t (*nanos)()) {
  auto store = apiserver::store::Store::Open(
      {.collections = api::scheme::CollectionNames(), .history = kShortHistory},
      /*journal=*/nullptr);
  if (!store) return std::unexpected(store.error());
  auto engine = scheduler::engine::Engine::Make(options, registry);
  if (!engine) return std::unexpected(engine.error());
  return std::unique_ptr<BenchCluster>(new EngineCluster(
      *std::move(store), *std::move(engine), options.features, start, controllers, nanos));
}

EngineCluster::EngineCluster(std::unique_ptr<apiserver::store::Store> store,
                             std::unique_ptr<scheduler::engine::Engine> engine,
                             const scheduler::model::Features& features, Instant start,
                             bool controllers, int64_t (*nanos)())
    : clock_(start),
      store_(std::move(store)),
      api_(*store_, clock_, kApiSeed, WorkloadGatesOf(features)),
      engine_(std::move(engine), clock_, nanos),
      connection_(api_, {.features = features}, clock_, [] {}) {
  if (!controllers) return;
  controllers_ = std::make_unique<localcluster::LocalCluster>(
      api_, clock_, localcluster::LocalClusterOptions{.kubelets = false, .leases = false});
}

void EngineCluster::RunControllers() {
  if (controllers_ != nullptr) controllers_->RunUntilIdle();
}

void EngineCluster::Load() {
  RunControllers();
  for (bool busy = true; busy;) {
    events_.clear();
    busy = connection_.Read(events_);
    engine_.Load(events_);
  }
}

bool EngineCluster::HandleEvents() {
  RunControllers();
  events_ = std::exchange(results_, {});
  const bool busy = connection_.Read(events_) || !events_.empty();
  engine_.Handle(events_);
  return busy;
}

void EngineCluster::Execute(std::vector<scheduler::engine::Command> commands) {
  for (scheduler::engine::Command& command : commands) {
    // Nobody reads the events of this cluster.
    if (std::holds_alternative<scheduler::framework::RecordEvent>(command.write)) {
      results_.emplace_back(scheduler::engine::WriteDone{command.id, {}});
    } else {
      connection_.Execute(std::move(command));
    }
  }
}

void EngineCluster::Run(Instant until) {
  const bool handled = HandleEvents();
  std::vector<scheduler::engine::Command> commands;
  const size_t limit = clock_.Now() < until ? kDecisionsPerStep : 0;
  const size_t tried = engine_.Schedule(limit, commands);
  const bool idle = !handled && tried == 0 && commands.empty();
  Execute(std::move(commands));
  if (!idle) return;
  Instant next = until;
  if (const auto wake = engine_.engine().next_wake()) next = std::min(next, *wake);
  if (controllers_ != nullptr) {
    if (const auto due = controllers_->NextDue()) next = std::min(next, *due);
  }
  if (next > clock_.Now()) clock_.Advance(next - clock_.Now());
}

SchedulingTotals EngineCluster::Totals() const {
  const EngineTime& time = engine_.time();
  return {.time = time.deciding + time.events,
          .engine = time,
          .attempts = engine_.attempts(),
          .decision_time = engine_.decision_time()};
}

}  // namespace berth::benchmark
