// From created to bound in one process: pods are created through the Api, and the engine observes
// them in the store, decides, and binds them through the Api.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "apiserver/registry/api.h"
#include "base/check.h"
#include "cmd/up_objects.h"
#include "runtime/embedded/store_connection.h"
#include "scheduler/config/defaults.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth {
namespace {

constexpr int kTemplates = 20;

scheduler::engine::EngineOptions DefaultEngine() {
  scheduler::config::Configuration configuration;
  scheduler::config::ApplyDefaults(configuration);
  return *scheduler::config::ToEngineOptions(configuration);
}

struct UpCluster {
  explicit UpCluster(size_t nodes)
      : store(*apiserver::store::Store::Open({.collections = api::scheme::CollectionNames()},
                                             nullptr)) {
    CHECK(cmd::MakeNodes(api, nodes).has_value());
    driver = *runtime::embedded::MakeDriver(api, clock, {}, {.engine = DefaultEngine()},
                                            scheduler::plugins::InTreeRegistry());
    driver->RunUntilIdle();
  }
  void CreatePods(int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; ++i) {
      auto pod = boost::json::parse(fmt::format(
          R"({{"metadata":{{"name":"pod-{0}","labels":{{"app":"app-{1}"}}}},"spec":{{"containers":[)"
          R"({{"name":"c","image":"registry/app-{1}:1","resources":{{"requests":{{"cpu":"250m",)"
          R"("memory":"256Mi"}}}}}}],"topologySpreadConstraints":[{{"maxSkew":5,"topologyKey":)"
          R"("topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":)"
          R"({{"matchLabels":{{"app":"app-{1}"}}}}}}]}}}})",
          i, i % kTemplates));
      CHECK(api.Create(pods, "default", std::move(pod)).has_value());
    }
  }

  SystemClock clock;
  std::unique_ptr<apiserver::store::Store> store;
  apiserver::registry::Api api{*store, clock, 1};
  const api::scheme::Kind& pods = api::scheme::KindOf("pods");
  std::unique_ptr<runtime::EngineDriver> driver;
};

// On one thread: the cost of a pod from its creation to its binding and its Event.
void CreatedToBound(benchmark::State& state) {
  const int64_t pods = state.range(1);
  for (auto _ : state) {
    state.PauseTiming();
    auto up = std::make_unique<UpCluster>(static_cast<size_t>(state.range(0)));
    state.ResumeTiming();
    for (int64_t created = 0; created < pods; created += 100) {
      up->CreatePods(created, std::min<int64_t>(100, pods - created));
      up->driver->RunUntilIdle();
    }
    CHECK(up->driver->snapshot()->binds == static_cast<uint64_t>(pods));
    const auto snapshot = up->driver->snapshot();
    state.counters["decision_p99_us"] = snapshot->decision_time.Percentile(99).seconds() * 1e6;
    state.PauseTiming();
    up.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * pods);
}
BENCHMARK(CreatedToBound)->Args({5'000, 20'000})->Unit(benchmark::kMillisecond)->Iterations(2);

// Created by one thread and bound by another, as in `berth up`.
void CreatedToBoundOnTwoThreads(benchmark::State& state) {
  const int64_t pods = state.range(1);
  for (auto _ : state) {
    state.PauseTiming();
    auto up = std::make_unique<UpCluster>(static_cast<size_t>(state.range(0)));
    state.ResumeTiming();
    up->driver->Start();
    up->CreatePods(0, pods);
    while (up->driver->snapshot()->binds < static_cast<uint64_t>(pods)) std::this_thread::yield();
    state.PauseTiming();
    up->driver->Stop();
    const auto snapshot = up->driver->snapshot();
    state.counters["latency_p50_us"] = snapshot->created_to_bound.Percentile(50).seconds() * 1e6;
    state.counters["latency_p99_us"] = snapshot->created_to_bound.Percentile(99).seconds() * 1e6;
    up.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * pods);
}
BENCHMARK(CreatedToBoundOnTwoThreads)
    ->Args({5'000, 20'000})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2)
    ->UseRealTime();

}  // namespace
}  // namespace berth
