// What shadow mode costs in a burst: an engine places pods, and a shadow judges its binds, which
// arrive in another order.
//
// Of the counters, `states` and `in_flight` are per decision, and `differ` is 0.
#include <benchmark/benchmark.h>

#include "base/steady_clock.h"
#include "runtime/large_burst_testing.h"
#include "runtime/shadow.h"
#include "scheduler/engine/engine.h"

namespace berth {
namespace {

constexpr size_t kPods = 3'000;

void Burst(benchmark::State& state) {
  const runtime::LargeBurst burst =
      runtime::MakeLargeBurst({.nodes = static_cast<size_t>(state.range(0)),
                               .pods = kPods,
                               .latency = static_cast<size_t>(state.range(1))});
  const SteadyClock stopwatch;
  runtime::ShadowTotals totals;
  size_t states = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto engine = runtime::MakeDefaultEngine();
    runtime::Shadow shadow(
        *engine,
        [&](const scheduler::engine::Event& event) { engine->Handle(event, runtime::kBurstTime); },
        {.report =
             [&](const runtime::Judgement& judgement) {
               totals.Add(judgement.result);
               states += judgement.tried;
             },
         .stopwatch = stopwatch});
    for (const auto& event : burst.objects) shadow.Take(event, runtime::kBurstTime);
    shadow.Advance(runtime::kBurstTime);
    state.ResumeTiming();
    for (const auto& event : burst.binds) {
      shadow.Take(event, runtime::kBurstTime);
      shadow.Advance(runtime::kBurstTime);
    }
    shadow.Finish(runtime::kBurstTime);
  }
  const auto judged = static_cast<double>(totals.seen());
  state.counters["decisions"] = benchmark::Counter(judged, benchmark::Counter::kIsRate);
  state.counters["states"] = static_cast<double>(states) / judged;
  state.counters["in_flight"] =
      static_cast<double>(totals[runtime::Judgement::Result::kAgreesInFlight]) / judged;
  state.counters["differ"] = static_cast<double>(totals[runtime::Judgement::Result::kDiffers] +
                                                 totals[runtime::Judgement::Result::kNotJudged]);
}
BENCHMARK(Burst)
    ->ArgNames({"nodes", "latency"})
    ->Args({100, 0})
    ->Args({100, 30})
    ->Args({1000, 30})
    ->Args({5000, 30})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
