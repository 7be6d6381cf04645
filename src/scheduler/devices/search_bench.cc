// How long searches for devices take on one node, of claims and slices that are hard to search.
// `units` is the counted work; `ns_per_unit` what a unit of it takes.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "scheduler/devices/hostile_claims_testing.h"

namespace berth::scheduler::devices {
namespace {

// As DynamicResources allows by default.
constexpr uint64_t kBudget = 1'000'000;

void Hostile(::benchmark::State& state, const HostileCase& hostile) {
  DeviceWorld world;
  for (const std::string& yaml : hostile.objects) world.Add(yaml);
  world.Compile(hostile.claims);
  double nanoseconds = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    world.Search(kBudget);
    nanoseconds += static_cast<double>((std::chrono::steady_clock::now() - begin) /
                                       std::chrono::nanoseconds(1));
  }
  const auto units = static_cast<double>(world.work());
  state.counters["units"] = units;
  state.counters["ns_per_unit"] = nanoseconds / static_cast<double>(state.iterations()) / units;
  state.SetLabel(world.Text().substr(0, 10));
}

const bool kRegistered = [] {
  static const std::vector<HostileCase> cases = MakeHostileCases();
  for (const HostileCase& hostile : cases) {
    ::benchmark::RegisterBenchmark(hostile.name,
                                   [&](::benchmark::State& state) { Hostile(state, hostile); })
        ->Unit(::benchmark::kMicrosecond)
        ->MinTime(0.05);
  }
  return true;
}();

}  // namespace
}  // namespace berth::scheduler::devices
