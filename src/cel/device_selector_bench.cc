// What compiling and evaluating device selectors costs.
#include <benchmark/benchmark.h>

#include <string_view>

#include "cel/device_selector.h"
#include "cel/selector_testing.h"

namespace berth::cel {
namespace {

constexpr std::string_view kSelectors[] = {
    R"(device.attributes["gpu.example.com"].model == "a100")",
    R"(device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].healthy &&
       device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.9.0")) &&
       device.capacity["gpu.example.com"].memory.compareTo(quantity("39Gi")) >= 0)",
    R"(device.attributes["gpu.example.com"].model in ["a100", "h100"])",
    R"(device.attributes["gpu.example.com"].model.matches("^a[0-9]+$"))",
    R"(device.attributes["gpu.example.com"].exists(k, k == "tags"))",
    R"(cel.bind(a, device.attributes["gpu.example.com"], a.?index.orValue(0) == 7 && has(a.tags)))",
};

void Compile(benchmark::State& state) {
  const std::string_view expression = kSelectors[state.range(0)];
  for (auto _ : state) benchmark::DoNotOptimize(DeviceSelector::Compile(expression));
}
BENCHMARK(Compile)->DenseRange(0, std::size(kSelectors) - 1);

void Evaluate(benchmark::State& state) {
  const auto selector = DeviceSelector::Compile(kSelectors[state.range(0)]);
  for (auto _ : state) benchmark::DoNotOptimize(selector->Evaluate(ExampleDevice()));
}
BENCHMARK(Evaluate)->DenseRange(0, std::size(kSelectors) - 1);

}  // namespace
}  // namespace berth::cel
