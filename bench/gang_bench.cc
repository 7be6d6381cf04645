// How long it takes to decide about one gang on 5,000 nodes in 50 racks: no API, no I/O.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "api/object.h"
#include "base/check.h"
#include "benchmark/synthetic_world.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/in_tree_plugin_args.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth {
namespace {

constexpr Instant kStart = Instant::FromUnixSeconds(1'700'000'000);
constexpr const char* kRack = "example.com/rack";
constexpr size_t kNodes = 5'000, kNodesPerRack = 100;

template <typename T>
void Put(scheduler::engine::Engine& engine, T object) {
  engine.Handle(scheduler::engine::ObjectPut{std::make_shared<const T>(std::move(object))}, kStart);
}

std::unique_ptr<scheduler::engine::Engine> EngineWithNodes(
    const scheduler::framework::GangSchedulingArgs& args) {
  scheduler::engine::EngineOptions options;
  options.features.generic_workload = options.features.gang_scheduling = true;
  options.features.topology_aware_workload_scheduling = true;
  options.profiles =
      *scheduler::config::ToProfileConfigs(scheduler::config::Default(options.features));
  options.profiles[0].args["GangScheduling"] = args;
  auto engine = *scheduler::engine::Engine::Make(options, scheduler::plugins::InTreeRegistry());
  for (size_t i = 0; i < kNodes; ++i) {
    api::Node node = benchmark::PlainNode(i, "zone");
    node.metadata.labels[kRack] = fmt::format("rack-{:02}", i / kNodesPerRack);
    Put(*engine, std::move(node));
  }
  return engine;
}

void PutGang(scheduler::engine::Engine& engine, size_t members, bool in_rack,
             void (*rule)(api::Pod&, size_t)) {
  api::PodGroup group;
  group.metadata.namespace_ = "default";
  group.metadata.name = group.metadata.uid = "gang";
  group.min_count = static_cast<int32_t>(members);
  if (in_rack) group.topology_keys = {kRack};
  Put(engine, std::move(group));
  for (size_t i = 0; i < members; ++i) {
    api::Pod pod = benchmark::PlainPod("gang", i);
    pod.spec.pod_group_name = "gang";
    rule(pod, i);
    Put(engine, std::move(pod));
  }
}

void NoRule(api::Pod&, size_t) {}

// Decides about a gang of range(0) members, of which `bound` are bound.
void Decide(::benchmark::State& state, const scheduler::framework::GangSchedulingArgs& args,
            bool in_rack, size_t bound, void (*rule)(api::Pod&, size_t) = NoRule) {
  const auto members = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = EngineWithNodes(args);
    PutGang(*engine, members, in_rack, rule);
    state.ResumeTiming();
    engine->Schedule(kStart, 1);
    state.PauseTiming();
    size_t binds = 0;
    for (const scheduler::engine::Command& command : engine->TakeCommands())
      binds += std::holds_alternative<scheduler::framework::BindPod>(command.write) ? 1 : 0;
    CHECK(binds == bound);
    engine.reset();
    state.ResumeTiming();
  }
}

void Gang(::benchmark::State& state) {
  Decide(state, {}, /*in_rack=*/false, static_cast<size_t>(state.range(0)));
}
// All racks are tried and scored.
void GangInRack(::benchmark::State& state) {
  Decide(state, {}, /*in_rack=*/true, static_cast<size_t>(state.range(0)));
}
void GangWithLevels(::benchmark::State& state) {
  scheduler::framework::GangSchedulingArgs args;
  args.topology_levels = {"kubernetes.io/hostname", kRack};
  Decide(state, args, /*in_rack=*/false, static_cast<size_t>(state.range(0)));
}

// One small member and large ones, each of which needs a node of a rack for itself: greedy
// placement puts the small one first.
void GangThatNeedsSearch(::benchmark::State& state) {
  scheduler::framework::GangSchedulingArgs args;
  args.search = "Complete";
  Decide(state, args, /*in_rack=*/true, static_cast<size_t>(state.range(0)),
         [](api::Pod& pod, size_t i) {
           pod.spec.priority = i == 0 ? 1 : 0;
           auto& requests = pod.spec.containers[0].resources.requests;
           requests["cpu"] = *api::Quantity::Parse(i < 101 && i > 0 ? "3900m" : "100m");
         });
}

// No placement exists, which sums do not tell: members exclude each other on hosts, and a rack has
// one host less than members. The budget ends first.
void GangBeyondTheBudget(::benchmark::State& state) {
  scheduler::framework::GangSchedulingArgs args;
  args.search = "Complete";
  Decide(state, args, /*in_rack=*/false, /*bound=*/0, [](api::Pod& pod, size_t i) {
    benchmark::SeparateHosts(pod);
    pod.spec.node_selector.emplace().emplace(kRack, "rack-00");
    pod.spec.containers[0].resources.requests["cpu"] =
        *api::Quantity::Parse(fmt::format("{}m", 100 + i));
  });
}

BENCHMARK(Gang)->Arg(64)->Arg(1'000)->Unit(::benchmark::kMillisecond);
BENCHMARK(GangInRack)->Arg(64)->Arg(1'000)->Unit(::benchmark::kMillisecond);
BENCHMARK(GangWithLevels)->Arg(64)->Arg(1'000)->Unit(::benchmark::kMillisecond);
BENCHMARK(GangThatNeedsSearch)->Arg(101)->Unit(::benchmark::kMillisecond);
BENCHMARK(GangBeyondTheBudget)->Arg(101)->Unit(::benchmark::kMillisecond);

}  // namespace
}  // namespace berth
