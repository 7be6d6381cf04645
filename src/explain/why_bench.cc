// Benchmarks of the explanation of one pod, and of the search for its fixes, in a cluster of 5,000
// nodes and 50,000 pods. Counters say how many decisions the search tried.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "explain/pod_explanation.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::explain {
namespace {

constexpr int kNodes = 5'000;
constexpr int kPodsPerNode = 10;
constexpr Instant kNow = Instant::FromUnixSeconds(1'000'000);

api::Quantity Amount(std::string_view text) { return *api::Quantity::Parse(text); }

// Some nodes are cordoned, some have a taint, and each has a zone.
api::Ref<api::Node> NodeOf(int number) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = fmt::format("node-{:04}", number);
  node->metadata.uid = node->metadata.name;
  node->metadata.labels = {{"topology.kubernetes.io/zone", fmt::format("zone-{}", number % 3)},
                           {"disk", number % 2 == 0 ? "ssd" : "hdd"}};
  node->status.allocatable = {
      {"cpu", Amount("16")}, {"memory", Amount("64Gi")}, {"pods", Amount("110")}};
  node->spec.unschedulable = number % 50 == 0;
  if (number % 20 == 1) node->spec.taints = {{"dedicated", "db", "NoSchedule"}};
  return node;
}

std::shared_ptr<api::Pod> PodOf(std::string name, api::ResourceList requests) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = std::move(name);
  pod->metadata.uid = pod->metadata.name;
  pod->metadata.namespace_ = "default";
  pod->spec.scheduler_name = "default-scheduler";
  pod->spec.containers.resize(1);
  pod->spec.containers[0].name = "main";
  pod->spec.containers[0].resources.requests = std::move(requests);
  return pod;
}

// All nodes are nearly full: 13 to 15.5 of 16 cpu are in use.
std::unique_ptr<scheduler::engine::Engine> BigCluster() {
  const auto options = scheduler::config::ToEngineOptions(scheduler::config::Default());
  CHECK(options.has_value());
  auto engine = scheduler::engine::Engine::Make(*options, scheduler::plugins::InTreeRegistry());
  CHECK(engine.has_value());
  for (int n = 0; n < kNodes; ++n) {
    const api::Ref<api::Node> node = NodeOf(n);
    (*engine)->Handle(scheduler::engine::ObjectPut{node}, kNow);
    for (int p = 0; p < kPodsPerNode; ++p) {
      const std::string milli = fmt::format("{}m", 1'300 + (n * 7 + p) % 6 * 50);
      const auto pod = PodOf(fmt::format("pod-{}-{}", n, p), {{"cpu", Amount(milli)}});
      pod->metadata.labels = {{"app", fmt::format("app-{}", p)}};
      pod->spec.node_name = node->metadata.name;
      (*engine)->Handle(scheduler::engine::ObjectPut{api::Ref<api::Pod>(pod)}, kNow);
    }
  }
  return *std::move(engine);
}

// Each of them fits nowhere: for want of cpu, of a label, or of both and of memory.
api::Ref<api::Pod> StuckPod(int64_t kind) {
  api::ResourceList requests{{"cpu", Amount(kind == 1 ? "100m" : "8")}};
  if (kind == 2) requests["memory"] = Amount("512Gi");
  auto pod = PodOf("stuck", std::move(requests));
  if (kind > 0) pod->spec.node_selector = api::StringMap{{"disk", "nvme"}};
  return pod;
}

void ExplainStuckPod(benchmark::State& state) {
  const auto engine = BigCluster();
  const api::Ref<api::Pod> pod = StuckPod(state.range(0));
  ExplainOptions options;
  options.fixes = state.range(1) != 0;
  size_t decisions = 0, fixes = 0;
  for (auto _ : state) {
    const auto why = ExplainPod(*engine, pod, "default-scheduler", kNow, options);
    CHECK(why.has_value());
    if (!why->fixes) continue;
    decisions = why->fixes->decisions;
    fixes = why->fixes->fixes.size();
  }
  state.counters["decisions"] = static_cast<double>(decisions);
  state.counters["fixes"] = static_cast<double>(fixes);
}
BENCHMARK(ExplainStuckPod)
    ->ArgsProduct({{0, 1, 2}, {0, 1}})
    ->ArgNames({"pod", "fixes"})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::explain
