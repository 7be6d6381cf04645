// Decisions per second of the engine alone: no API, no I/O, every node looked at.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>

#include "base/check.h"
#include "config/configuration.h"
#include "config/profiles.h"
#include "engine/engine.h"
#include "plugins/registry.h"

namespace berth {
namespace {

constexpr Instant kStart = Instant::FromUnixSeconds(1'700'000'000);

api::Quantity Amount(const char* text) { return *api::Quantity::Parse(text); }

std::shared_ptr<const api::Node> MakeNode(size_t i) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = fmt::format("node-{:07}", i);
  node->metadata.labels = {{"kubernetes.io/hostname", node->metadata.name},
                           {"topology.kubernetes.io/zone", fmt::format("zone-{}", i % 3)}};
  node->status.allocatable = {
      {"cpu", Amount("4")}, {"memory", Amount("32Gi")}, {"pods", Amount("110")}};
  return node;
}

// The pod of kube-scheduler's own benchmark: 100m CPU and 500Mi.
std::shared_ptr<const api::Pod> MakePod(size_t i) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = fmt::format("pod-{:07}", i);
  pod->metadata.namespace_ = "default";
  pod->metadata.uid = fmt::format("uid-{}", i);
  pod->spec.scheduler_name = "default-scheduler";
  api::Container& container = pod->spec.containers.emplace_back();
  container.name = "pause";
  container.image = "registry.k8s.io/pause:3.10";
  container.resources.requests = {{"cpu", Amount("100m")}, {"memory", Amount("500Mi")}};
  return pod;
}

std::unique_ptr<Engine> MakeEngine() {
  EngineOptions options;
  options.profiles = *config::ToProfileConfigs(config::Default());
  return *Engine::Make(options, InTreeRegistry());
}

// Answers every bind at once, as an API that is never the bottleneck.
void Bind(Engine& engine) {
  for (const Command& command : engine.TakeCommands())
    engine.Handle(WriteDone{command.id, {}}, kStart);
}

void PlainPods(benchmark::State& state) {
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto pods = static_cast<size_t>(state.range(1));
  size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = MakeEngine();
    for (size_t i = 0; i < nodes; ++i) engine->Handle(ObjectPut{MakeNode(i)}, kStart);
    for (size_t i = 0; i < pods; ++i) engine->Handle(ObjectPut{MakePod(i)}, kStart);
    state.ResumeTiming();
    while (engine->Schedule(kStart, 100) > 0) Bind(*engine);
    decided += pods;
    state.PauseTiming();
    CHECK(engine->queue_sizes().unschedulable == 0);
    engine.reset();
    state.ResumeTiming();
  }
  state.counters["decisions"] =
      benchmark::Counter(static_cast<double>(decided), benchmark::Counter::kIsRate);
}

BENCHMARK(PlainPods)
    ->Args({5'000, 10'000})
    ->ArgNames({"nodes", "pods"})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
