// Decisions per second of the engine alone: no API, no I/O, all nodes evaluated.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/node.h"
#include "api/pod.h"
#include "base/check.h"
#include "base/workers.h"
#include "benchmark/synthetic_world.h"
#include "observability/scheduling/attempt_recorder.h"
#include "observability/scheduling/scheduler_metrics.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth {
namespace {

constexpr Instant kStart = Instant::FromUnixSeconds(1'700'000'000);
using benchmark::NodeName;
using benchmark::PlainPod;

constexpr size_t kZones = 3;

api::Quantity Amount(const char* text) { return *api::Quantity::Parse(text); }

api::Node MakeNode(size_t i) { return benchmark::PlainNode(i, fmt::format("zone-{}", i % kZones)); }

std::shared_ptr<const api::Node> Shared(api::Node node) {
  return std::make_shared<const api::Node>(std::move(node));
}

// Pods with a rule about their application.
template <void (*kRule)(api::Pod&)>
api::Pod PodWith(size_t i) {
  api::Pod pod = PlainPod("ruled", i);
  kRule(pod);
  return pod;
}

api::Pod ServicePod(size_t i) { return PlainPod("served", i); }

int64_t ReadStopwatch() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// The metrics, and the ledger, that the daemon attaches to its engine.
enum class Observers : uint8_t { kNone, kMetrics, kMetricsAndLedger };
struct Observed {
  observability::MetricRegistry registry;
  observability::scheduling::SchedulerMetrics metrics{registry};
  observability::scheduling::EngineMeasurements measurements{metrics, ReadStopwatch};
  observability::scheduling::AttemptRecorder attempts;
};

std::unique_ptr<scheduler::engine::Engine> MakeEngine(Workers* workers = nullptr,
                                                      Observed* observed = nullptr,
                                                      Observers observers = Observers::kNone) {
  scheduler::engine::EngineOptions options;
  options.workers = workers;
  if (observers != Observers::kNone) options.measurements = &observed->measurements;
  if (observers == Observers::kMetricsAndLedger) options.attempts = &observed->attempts;
  options.profiles = *scheduler::config::ToProfileConfigs(scheduler::config::Default());
  return *scheduler::engine::Engine::Make(options, scheduler::plugins::InTreeRegistry());
}

void Put(scheduler::engine::Engine& engine, api::Pod pod) {
  engine.Handle(scheduler::engine::ObjectPut{std::make_shared<const api::Pod>(std::move(pod))},
                kStart);
}

// Completes every write immediately, as an API that is never the bottleneck.
void Bind(scheduler::engine::Engine& engine) {
  for (const scheduler::engine::Command& command : engine.TakeCommands()) {
    engine.Handle(scheduler::engine::WriteDone{command.id, {}}, kStart);
  }
}

::benchmark::Counter Rate(size_t count) {
  return {static_cast<double>(count), ::benchmark::Counter::kIsRate};
}

// Schedules `pods` pods from `make` on `nodes` nodes with `existing` running pods.
void Schedule(
    ::benchmark::State& state, api::Pod (*make)(size_t),
    const std::function<void(scheduler::engine::Engine&)>& prepare =
        [](scheduler::engine::Engine&) {},
    Observers observers = Observers::kNone) {
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto pods = static_cast<size_t>(state.range(1));
  const auto existing = static_cast<size_t>(state.range(2));
  size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto observed = std::make_unique<Observed>();
    auto engine = MakeEngine(nullptr, observed.get(), observers);
    for (size_t i = 0; i < nodes; ++i)
      engine->Handle(scheduler::engine::ObjectPut{Shared(MakeNode(i))}, kStart);
    for (size_t i = 0; i < existing; ++i) {
      api::Pod pod = PlainPod("existing", i);
      pod.spec.containers[0].resources.requests = {{"cpu", Amount("10m")}};
      pod.spec.node_name = NodeName(i % nodes);
      Put(*engine, std::move(pod));
    }
    prepare(*engine);
    for (size_t i = 0; i < pods; ++i) Put(*engine, make(i));
    state.ResumeTiming();
    while (engine->Schedule(kStart, 100) > 0) Bind(*engine);
    decided += pods;
    state.PauseTiming();
    CHECK(engine->queue().sizes().unschedulable == 0);
    engine.reset();
    state.ResumeTiming();
  }
  state.counters["decisions"] = Rate(decided);
}

void PlainPods(::benchmark::State& state) {
  Schedule(state, [](size_t i) { return PlainPod("plain", i); });
}
// With metrics, and with a ledger, too, to measure their cost.
template <Observers kObservers>
void PlainPodsObserved(::benchmark::State& state) {
  Schedule(
      state, [](size_t i) { return PlainPod("plain", i); }, [](scheduler::engine::Engine&) {},
      kObservers);
}
void PlainPodsMeasured(::benchmark::State& state) { PlainPodsObserved<Observers::kMetrics>(state); }
void PlainPodsInLedger(::benchmark::State& state) {
  PlainPodsObserved<Observers::kMetricsAndLedger>(state);
}
// Scores of all nodes are compared for each pod.
template <Observers kObservers>
void SpreadObserved(::benchmark::State& state) {
  Schedule(
      state, PodWith<benchmark::SpreadOverZones>, [](scheduler::engine::Engine&) {}, kObservers);
}
void SpreadMeasured(::benchmark::State& state) { SpreadObserved<Observers::kMetrics>(state); }
void SpreadInLedger(::benchmark::State& state) {
  SpreadObserved<Observers::kMetricsAndLedger>(state);
}
void TopologySpread(::benchmark::State& state) {
  Schedule(state, PodWith<benchmark::SpreadOverZones>);
}
void RequiredAntiAffinity(::benchmark::State& state) {
  Schedule(state, PodWith<benchmark::SeparateHosts>);
}
void RequiredAffinity(::benchmark::State& state) { Schedule(state, PodWith<benchmark::JoinZone>); }
void PreferredAffinity(::benchmark::State& state) {
  Schedule(state, PodWith<benchmark::PreferHost>);
}

// Pods of a Service are spread by the system default constraints.
void DefaultSpread(::benchmark::State& state) {
  Schedule(state, ServicePod, [](scheduler::engine::Engine& engine) {
    engine.Handle(scheduler::engine::ObjectPut{benchmark::ServiceFor("served")}, kStart);
  });
}

// --- pods that differ ---

// Pods of one class are `classes` apart; with 0 classes each pod has its own.
void Variety(::benchmark::State& state, benchmark::Mix mix, size_t zones = kZones) {
  const benchmark::WorldOptions options{.nodes = static_cast<size_t>(state.range(0)),
                                        .pods = static_cast<size_t>(state.range(1)),
                                        .classes = static_cast<size_t>(state.range(2)),
                                        .zones = zones,
                                        .mix = mix};
  const benchmark::SyntheticWorld world(options);
  size_t decided = 0;
  std::vector<int64_t> times;
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = MakeEngine();
    world.ForEachObject([&engine](const api::Object& object) {
      engine->Handle(scheduler::engine::ObjectPut{object}, kStart);
    });
    for (size_t i = 0; i < options.pods; ++i)
      engine->Handle(scheduler::engine::ObjectPut{world.Pod(i)}, kStart);
    state.ResumeTiming();
    for (int64_t before = ReadStopwatch(); engine->Schedule(kStart, 1) > 0;) {
      Bind(*engine);
      const int64_t now = ReadStopwatch();
      times.push_back(now - std::exchange(before, now));
    }
    decided += options.pods;
    state.PauseTiming();
    CHECK(engine->queue().sizes().unschedulable == 0);
    engine.reset();
    state.ResumeTiming();
  }
  state.counters["decisions"] = Rate(decided);
  for (const auto& [name, share] : {std::pair("p50_us", 0.5), {"p99_us", 0.99}}) {
    const auto at =
        times.begin() + static_cast<ptrdiff_t>(share * static_cast<double>(times.size()));
    std::ranges::nth_element(times, at);
    state.counters[name] = static_cast<double>(*at) / 1e3;
  }
}

void VariedPods(::benchmark::State& state) { Variety(state, benchmark::Mix::kPlain); }
void MixedPods(::benchmark::State& state) { Variety(state, benchmark::Mix::kMixed); }
void MixedPodsIn100Zones(::benchmark::State& state) { Variety(state, benchmark::Mix::kMixed, 100); }

// --- pods that do not fit ---

void SetPriority(api::Pod& pod, int32_t priority) { pod.spec.priority = priority; }

// Many copies of a pod that fits nowhere, with a higher priority than the ordinary pods behind
// them. Each round, an event requeues all copies and ten ordinary pods arrive. Measures decisions
// and the cost of requeueing all copies.
void StarvationWith(::benchmark::State& state, Observers observers) {
  constexpr size_t kOrdinary = 10;
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto copies = static_cast<size_t>(state.range(1));
  Observed observed;
  auto engine = MakeEngine(nullptr, &observed, observers);
  for (size_t i = 0; i < nodes; ++i)
    engine->Handle(scheduler::engine::ObjectPut{Shared(MakeNode(i))}, kStart);
  for (size_t i = 0; i < copies; ++i) {
    api::Pod pod = PlainPod("big", i);
    pod.spec.containers[0].resources.requests["cpu"] = Amount("64");
    SetPriority(pod, 10);
    Put(*engine, std::move(pod));
  }
  Instant now = kStart;
  engine->Schedule(now);
  size_t decided = 0, rounds = 0;
  std::clock_t requeueing = 0;  // CPU time.
  for (auto _ : state) {
    state.PauseTiming();
    Bind(*engine);  // Including status patches and Events.
    now = now + Duration::Seconds(20);
    for (size_t i = 0; i < kOrdinary; ++i) {
      const api::Pod pod = PlainPod("ordinary", rounds * kOrdinary + i);
      engine->Handle(scheduler::engine::ObjectPut{std::make_shared<const api::Pod>(pod)}, now);
    }
    // A node that is large enough for a copy, but tainted.
    api::Node node = MakeNode(nodes + rounds);
    node.status.allocatable["cpu"] = Amount("128");
    node.spec.taints = {{"busy", "", "NoSchedule"}};
    state.ResumeTiming();
    const std::clock_t start = std::clock();
    engine->Handle(scheduler::engine::ObjectPut{Shared(std::move(node))}, now);
    requeueing += std::clock() - start;
    const size_t tried = engine->Schedule(now);
    CHECK(tried == copies + kOrdinary);
    decided += tried;
    ++rounds;
  }
  state.counters["decisions"] = Rate(decided);
  state.counters["wake_all_ms"] =
      static_cast<double>(requeueing) * 1e3 / CLOCKS_PER_SEC / static_cast<double>(rounds);
}

void Starvation(::benchmark::State& state) { StarvationWith(state, Observers::kNone); }
void StarvationMeasured(::benchmark::State& state) { StarvationWith(state, Observers::kMetrics); }
void StarvationInLedger(::benchmark::State& state) {
  StarvationWith(state, Observers::kMetricsAndLedger);
}

// Nodes full of pods with low priority, and pods with high priority that each need the resources of
// one of those. The work after a decision (deleting victims, binding the pod) is not measured.
void Preemption(::benchmark::State& state) {
  constexpr size_t kPerNode = 4;  // A cpu each.
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto pods = static_cast<size_t>(state.range(1));
  size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = MakeEngine();
    std::unordered_map<std::string, api::Pod> running;
    for (size_t i = 0; i < nodes; ++i)
      engine->Handle(scheduler::engine::ObjectPut{Shared(MakeNode(i))}, kStart);
    for (size_t i = 0; i < nodes * kPerNode; ++i) {
      api::Pod pod = PlainPod("low", i);
      pod.spec.containers[0].resources.requests = {{"cpu", Amount("1")}};
      pod.spec.node_name = NodeName(i % nodes);
      running.emplace(pod.metadata.name, pod);
      Put(*engine, std::move(pod));
    }
    for (size_t i = 0; i < pods; ++i) {
      api::Pod pod = PlainPod("high", i);
      pod.spec.containers[0].resources.requests = {{"cpu", Amount("1")}};
      SetPriority(pod, 10);
      engine->Handle(scheduler::engine::ObjectPut{std::make_shared<const api::Pod>(std::move(pod))},
                     kStart);
      state.ResumeTiming();
      CHECK(engine->Schedule(kStart, 1) == 1);
      state.PauseTiming();
      ++decided;
      // The API executes everything: the victim is deleted, and the pod takes its place.
      for (auto commands = engine->TakeCommands(); !commands.empty();
           commands = engine->TakeCommands()) {
        for (const scheduler::engine::Command& command : commands) {
          engine->Handle(scheduler::engine::WriteDone{command.id, {}}, kStart);
          const auto* deletion = std::get_if<scheduler::framework::DeletePod>(&command.write);
          if (deletion == nullptr) continue;
          const api::Pod& victim = running.at(deletion->pod.name);
          engine->Handle(scheduler::engine::ObjectDeleted{std::make_shared<const api::Pod>(victim)},
                         kStart);
        }
        engine->Schedule(kStart);
      }
    }
    CHECK(engine->queue().sizes().unschedulable == 0);
    engine.reset();
    state.ResumeTiming();
  }
  state.counters["decisions"] = Rate(decided);
}

// Distinct pods, so that every node is evaluated from scratch for each, by the given number of
// workers.
void DistinctPods(::benchmark::State& state) {
  const auto nodes = static_cast<size_t>(state.range(0));
  ThreadWorkers workers(static_cast<size_t>(state.range(1)));
  auto engine = MakeEngine(&workers);
  for (size_t i = 0; i < nodes; ++i)
    engine->Handle(scheduler::engine::ObjectPut{Shared(MakeNode(i))}, kStart);
  size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    api::Pod pod = PlainPod("distinct", decided);
    pod.spec.containers[0].resources.requests["cpu"] =
        Amount(fmt::format("{}m", 1 + decided).c_str());
    Put(*engine, std::move(pod));
    state.ResumeTiming();
    CHECK(engine->Schedule(kStart, 1) == 1);
    state.PauseTiming();
    Bind(*engine);
    ++decided;
    state.ResumeTiming();
  }
  state.counters["decisions"] = Rate(decided);
}

// The time must not depend on the number of existing pods, the last argument.
void Sizes(::benchmark::internal::Benchmark* bench, int64_t pods) {
  bench->ArgNames({"nodes", "pods", "existing"})->Unit(::benchmark::kMillisecond);
  for (int64_t existing : {0, 10'000, 100'000}) bench->Args({5'000, pods, existing});
}

void Copies(::benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"nodes", "copies"})->Args({5'000, 10'000})->Unit(::benchmark::kMillisecond);
}

BENCHMARK(PlainPods)->Apply([](auto* bench) { Sizes(bench, 10'000); });
BENCHMARK(PlainPodsMeasured)->Apply([](auto* bench) { Sizes(bench, 10'000); });
BENCHMARK(PlainPodsInLedger)->Apply([](auto* bench) { Sizes(bench, 10'000); });
BENCHMARK(TopologySpread)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(SpreadMeasured)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(SpreadInLedger)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(RequiredAntiAffinity)->Apply([](auto* bench) { Sizes(bench, 2'000); });
BENCHMARK(RequiredAffinity)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(PreferredAffinity)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(DefaultSpread)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(VariedPods)->Apply([](auto* bench) {
  bench->ArgNames({"nodes", "pods", "classes"})->Unit(::benchmark::kMillisecond);
  for (int64_t classes : {1, 10, 100, 1'000, 0}) bench->Args({5'000, 10'000, classes});
  for (int64_t classes : {1'000, 0}) bench->Args({50'000, 10'000, classes});
});
BENCHMARK(MixedPods)->Apply([](auto* bench) {
  bench->ArgNames({"nodes", "pods", "classes"})->Unit(::benchmark::kMillisecond);
  for (int64_t classes : {1'000, 0}) bench->Args({5'000, 10'000, classes});
});
BENCHMARK(MixedPodsIn100Zones)
    ->ArgNames({"nodes", "pods", "classes"})
    ->Args({100'000, 20'000, 200})
    ->Unit(::benchmark::kMillisecond);
BENCHMARK(Starvation)->Apply(Copies);
BENCHMARK(StarvationMeasured)->Apply(Copies);
BENCHMARK(StarvationInLedger)->Apply(Copies);
BENCHMARK(DistinctPods)
    ->ArgNames({"nodes", "workers"})
    ->Args({100'000, 1})
    ->Args({100'000, 2})
    ->UseRealTime()
    ->Unit(::benchmark::kMillisecond);
BENCHMARK(Preemption)
    ->ArgNames({"nodes", "pods"})
    ->Args({5'000, 1'000})
    ->Unit(::benchmark::kMillisecond);

}  // namespace
}  // namespace berth
