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
#include "api/workloads.h"
#include "base/check.h"
#include "base/workers.h"
#include "observability/scheduling/scheduler_metrics.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth {
namespace {

constexpr Instant kStart = Instant::FromUnixSeconds(1'700'000'000);
constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr const char* kZone = "topology.kubernetes.io/zone";

api::Quantity Amount(const char* text) { return *api::Quantity::Parse(text); }

std::shared_ptr<const api::Node> MakeNode(size_t i, size_t zones = 3) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = fmt::format("node-{:07}", i);
  node->metadata.labels = {{kHostname, node->metadata.name},
                           {kZone, fmt::format("zone-{}", i % zones)},
                           {"disk", i / zones % 2 == 0 ? "ssd" : "hdd"}};
  node->status.allocatable = {
      {"cpu", Amount("4")}, {"memory", Amount("32Gi")}, {"pods", Amount("110")}};
  return node;
}

// The pod of kube-scheduler's own benchmark: 100m CPU and 500Mi.
api::Pod PlainPod(const std::string& group, size_t i) {
  api::Pod pod;
  pod.metadata.name = fmt::format("{}-{:07}", group, i);
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = fmt::format("uid-{}-{}", group, i);
  pod.metadata.labels = {{"group", group}};
  pod.spec.scheduler_name = "default-scheduler";
  api::Container& container = pod.spec.containers.emplace_back();
  container.name = "pause";
  container.image = "registry.k8s.io/pause:3.10";
  container.resources.requests = {{"cpu", Amount("100m")}, {"memory", Amount("500Mi")}};
  return pod;
}

api::LabelSelector Group(const std::string& name) {
  api::LabelSelector selector;
  selector.match_labels = {{"group", name}};
  return selector;
}

api::PodAffinityTerm TermFor(const std::string& group, const char* key) {
  api::PodAffinityTerm term;
  term.label_selector = Group(group);
  term.topology_key = key;
  return term;
}

void SpreadOverZones(api::Pod& pod, const std::string& group) {
  auto& constraint = pod.spec.topology_spread_constraints.emplace_back();
  constraint.max_skew = 5;
  constraint.topology_key = kZone;
  constraint.when_unsatisfiable = "DoNotSchedule";
  constraint.label_selector = Group(group);
}

void KeepApart(api::Pod& pod, const std::string& group) {
  pod.spec.affinity.emplace().pod_anti_affinity.emplace().required = {TermFor(group, kHostname)};
}

api::Pod SpreadPod(size_t i) {
  api::Pod pod = PlainPod("spread", i);
  SpreadOverZones(pod, "spread");
  return pod;
}

api::Pod AntiAffinityPod(size_t i) {
  api::Pod pod = PlainPod("exclusive", i);
  KeepApart(pod, "exclusive");
  return pod;
}

api::Pod AffinityPod(size_t i) {
  api::Pod pod = PlainPod("attracted", i);
  pod.spec.affinity.emplace().pod_affinity.emplace().required = {TermFor("attracted", kZone)};
  return pod;
}

api::Pod PreferredAffinityPod(size_t i) {
  api::Pod pod = PlainPod("preferred", i);
  pod.spec.affinity.emplace().pod_affinity.emplace().preferred = {
      {1, TermFor("preferred", kHostname)}};
  return pod;
}

api::Pod ServicePod(size_t i) {
  api::Pod pod = PlainPod("served", i);
  return pod;
}

int64_t ReadStopwatch() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// The metrics that the daemon attaches to its engine.
struct Metrics {
  observability::MetricRegistry registry;
  observability::scheduling::SchedulerMetrics metrics{registry};
  observability::scheduling::EngineMeasurements measurements{metrics, ReadStopwatch};
};

std::unique_ptr<scheduler::engine::Engine> MakeEngine(Workers* workers = nullptr,
                                                      Metrics* metrics = nullptr) {
  scheduler::engine::EngineOptions options;
  options.workers = workers;
  if (metrics != nullptr) options.measurements = &metrics->measurements;
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

benchmark::Counter Rate(size_t count) {
  return {static_cast<double>(count), benchmark::Counter::kIsRate};
}

// Schedules `pods` pods from `make` on `nodes` nodes with `existing` running pods.
void Schedule(
    benchmark::State& state, api::Pod (*make)(size_t),
    const std::function<void(scheduler::engine::Engine&)>& prepare =
        [](scheduler::engine::Engine&) {},
    bool measured = false) {
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto pods = static_cast<size_t>(state.range(1));
  const auto existing = static_cast<size_t>(state.range(2));
  size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto metrics = measured ? std::make_unique<Metrics>() : nullptr;
    auto engine = MakeEngine(nullptr, metrics.get());
    for (size_t i = 0; i < nodes; ++i)
      engine->Handle(scheduler::engine::ObjectPut{MakeNode(i)}, kStart);
    for (size_t i = 0; i < existing; ++i) {
      api::Pod pod = PlainPod("existing", i);
      pod.spec.containers[0].resources.requests = {{"cpu", Amount("10m")}};
      pod.spec.node_name = fmt::format("node-{:07}", i % nodes);
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
  state.counters["decisions"] =
      benchmark::Counter(static_cast<double>(decided), benchmark::Counter::kIsRate);
}

void PlainPods(benchmark::State& state) {
  Schedule(state, [](size_t i) { return PlainPod("plain", i); });
}
// With metrics, to measure their cost.
void PlainPodsMeasured(benchmark::State& state) {
  Schedule(
      state, [](size_t i) { return PlainPod("plain", i); }, [](scheduler::engine::Engine&) {},
      /*measured=*/true);
}
void TopologySpread(benchmark::State& state) { Schedule(state, SpreadPod); }
void RequiredAntiAffinity(benchmark::State& state) { Schedule(state, AntiAffinityPod); }
void RequiredAffinity(benchmark::State& state) { Schedule(state, AffinityPod); }
void PreferredAffinity(benchmark::State& state) { Schedule(state, PreferredAffinityPod); }

// Pods of a Service are spread by the system default constraints.
void DefaultSpread(benchmark::State& state) {
  Schedule(state, ServicePod, [](scheduler::engine::Engine& engine) {
    auto service = std::make_shared<api::Service>();
    service->metadata.name = "served";
    service->metadata.namespace_ = "default";
    service->selector = api::StringMap{{"group", "served"}};
    engine.Handle(
        scheduler::engine::ObjectPut{std::shared_ptr<const api::Service>(std::move(service))},
        kStart);
  });
}

// --- pods that differ ---

// Pod `i` of one of many classes, which differ in their requests.
api::Pod PodOfClass(size_t i, size_t pod_class) {
  api::Pod pod = PlainPod("varied", i);
  pod.spec.containers[0].resources.requests = {
      {"cpu", Amount(fmt::format("{}m", 10 + pod_class % 90).c_str())},
      {"memory", Amount(fmt::format("{}Ki", 65'536 + 4 * pod_class).c_str())}};
  return pod;
}

// A quarter each: plain, spread over zones, apart from its group, on nodes of one kind. Groups have
// pods of several classes.
api::Pod MixedPod(size_t i, size_t pod_class) {
  constexpr size_t kGroups = 100;
  api::Pod pod = PodOfClass(i, pod_class);
  const std::string group = fmt::format("group-{}-{}", pod_class % 4, pod_class / 4 % kGroups);
  pod.metadata.labels = {{"group", group}};
  switch (pod_class % 4) {
    case 1:
      SpreadOverZones(pod, group);
      break;
    case 2:
      KeepApart(pod, group);
      break;
    case 3:
      pod.spec.node_selector = api::StringMap{{"disk", "ssd"}};
      break;
    default:
      break;
  }
  return pod;
}

// Interleaved classes: pods of one class are `classes` apart; 0 makes each pod its own class.
void Variety(benchmark::State& state, api::Pod (*make)(size_t, size_t), size_t zones) {
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto pods = static_cast<size_t>(state.range(1));
  const auto classes = static_cast<size_t>(state.range(2));
  size_t decided = 0;
  std::vector<int64_t> times;
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = MakeEngine();
    for (size_t i = 0; i < nodes; ++i)
      engine->Handle(scheduler::engine::ObjectPut{MakeNode(i, zones)}, kStart);
    for (size_t i = 0; i < pods; ++i) Put(*engine, make(i, classes == 0 ? i : i % classes));
    state.ResumeTiming();
    for (int64_t before = ReadStopwatch(); engine->Schedule(kStart, 1) > 0;) {
      Bind(*engine);
      const int64_t now = ReadStopwatch();
      times.push_back(now - std::exchange(before, now));
    }
    decided += pods;
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

void VariedPods(benchmark::State& state) { Variety(state, PodOfClass, 3); }
void MixedPods(benchmark::State& state) { Variety(state, MixedPod, 3); }
void MixedPodsIn100Zones(benchmark::State& state) { Variety(state, MixedPod, 100); }

// --- pods that do not fit ---

void SetPriority(api::Pod& pod, int32_t priority) { pod.spec.priority = priority; }

// Many copies of a pod that fits nowhere, with a higher priority than the ordinary pods behind
// them. Each round, an event requeues all copies and ten ordinary pods arrive. Measures decisions
// and the cost of requeueing all copies.
void Starvation(benchmark::State& state) {
  constexpr size_t kOrdinary = 10;
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto copies = static_cast<size_t>(state.range(1));
  auto engine = MakeEngine();
  for (size_t i = 0; i < nodes; ++i)
    engine->Handle(scheduler::engine::ObjectPut{MakeNode(i)}, kStart);
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
    auto node = std::make_shared<api::Node>(*MakeNode(nodes + rounds));
    node->status.allocatable["cpu"] = Amount("128");
    node->spec.taints = {{"busy", "", "NoSchedule"}};
    state.ResumeTiming();
    const std::clock_t start = std::clock();
    engine->Handle(scheduler::engine::ObjectPut{std::shared_ptr<const api::Node>(std::move(node))},
                   now);
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

// Nodes full of pods with low priority, and pods with high priority that each need the resources of
// one of those. The work after a decision (deleting victims, binding the pod) is not measured.
void Preemption(benchmark::State& state) {
  constexpr size_t kPerNode = 4;  // A cpu each.
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto pods = static_cast<size_t>(state.range(1));
  size_t decided = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = MakeEngine();
    std::unordered_map<std::string, api::Pod> running;
    for (size_t i = 0; i < nodes; ++i)
      engine->Handle(scheduler::engine::ObjectPut{MakeNode(i)}, kStart);
    for (size_t i = 0; i < nodes * kPerNode; ++i) {
      api::Pod pod = PlainPod("low", i);
      pod.spec.containers[0].resources.requests = {{"cpu", Amount("1")}};
      pod.spec.node_name = fmt::format("node-{:07}", i % nodes);
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
void DistinctPods(benchmark::State& state) {
  const auto nodes = static_cast<size_t>(state.range(0));
  ThreadWorkers workers(static_cast<size_t>(state.range(1)));
  auto engine = MakeEngine(&workers);
  for (size_t i = 0; i < nodes; ++i)
    engine->Handle(scheduler::engine::ObjectPut{MakeNode(i)}, kStart);
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
void Sizes(benchmark::internal::Benchmark* bench, int64_t pods) {
  bench->ArgNames({"nodes", "pods", "existing"})->Unit(benchmark::kMillisecond);
  for (int64_t existing : {0, 10'000, 100'000}) bench->Args({5'000, pods, existing});
}

BENCHMARK(PlainPods)->Apply([](auto* bench) { Sizes(bench, 10'000); });
BENCHMARK(PlainPodsMeasured)->Apply([](auto* bench) { Sizes(bench, 10'000); });
BENCHMARK(TopologySpread)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(RequiredAntiAffinity)->Apply([](auto* bench) { Sizes(bench, 2'000); });
BENCHMARK(RequiredAffinity)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(PreferredAffinity)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(DefaultSpread)->Apply([](auto* bench) { Sizes(bench, 5'000); });
BENCHMARK(VariedPods)->Apply([](auto* bench) {
  bench->ArgNames({"nodes", "pods", "classes"})->Unit(benchmark::kMillisecond);
  for (int64_t classes : {1, 10, 100, 1'000, 0}) bench->Args({5'000, 10'000, classes});
  for (int64_t classes : {1'000, 0}) bench->Args({50'000, 10'000, classes});
});
BENCHMARK(MixedPods)->Apply([](auto* bench) {
  bench->ArgNames({"nodes", "pods", "classes"})->Unit(benchmark::kMillisecond);
  for (int64_t classes : {1'000, 0}) bench->Args({5'000, 10'000, classes});
});
BENCHMARK(MixedPodsIn100Zones)
    ->ArgNames({"nodes", "pods", "classes"})
    ->Args({100'000, 20'000, 200})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Starvation)
    ->ArgNames({"nodes", "copies"})
    ->Args({5'000, 10'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(DistinctPods)
    ->ArgNames({"nodes", "workers"})
    ->Args({100'000, 1})
    ->Args({100'000, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(Preemption)
    ->ArgNames({"nodes", "pods"})
    ->Args({5'000, 1'000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
