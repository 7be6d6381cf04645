// EngineCluster runs an engine alone: the API is in the same thread and takes no time.
//
// Time passes only while the engine works; if nobody has anything to do, it jumps to the next
// moment at which somebody has.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apiserver/store/store.h"
#include "base/time.h"
#include "benchmark/bench_cluster.h"
#include "benchmark/timed_engine.h"
#include "localcluster/local_cluster.h"
#include "runtime/embedded/store_connection.h"
#include "scheduler/engine/engine.h"

namespace berth::benchmark {

class EngineCluster final : public BenchCluster {
 public:
  // Time begins at `start`; the engine's calls are timed with `nanos`. With `controllers`, the API
  // has those of a local cluster: resource claims of pods, garbage.
  static Result<std::unique_ptr<BenchCluster>> Make(const scheduler::engine::EngineOptions& options,
                                                    const scheduler::framework::Registry& registry,
                                                    Instant start, bool controllers,
                                                    int64_t (*nanos)());

  apiserver::registry::Api& api() override { return api_; }
  const Clock& clock() const override { return clock_; }
  void Load() override;
  void Run(Instant until) override;
  SchedulingTotals Totals() const override;
  Status health() override { return {}; }

 private:
  EngineCluster(std::unique_ptr<apiserver::store::Store> store,
                std::unique_ptr<scheduler::engine::Engine> engine,
                const scheduler::model::Features& features, Instant start, bool controllers,
                int64_t (*nanos)());
  // Passes changes and results to the engine. Returns false if there were none.
  bool HandleEvents();
  void Execute(std::vector<scheduler::engine::Command> commands);
  void RunControllers();

  SimClock clock_;
  std::unique_ptr<apiserver::store::Store> store_;
  apiserver::registry::Api api_;
  TimedEngine engine_;
  runtime::embedded::StoreConnection connection_;
  std::unique_ptr<localcluster::LocalCluster> controllers_;  // May be null.
  std::vector<scheduler::engine::Event> events_;  // Of one step; a member to reuse its memory.
  // Results of writes that are not made: events.
  std::vector<scheduler::engine::Event> results_;
};

}  // namespace berth::benchmark
