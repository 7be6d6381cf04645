// How long `berth why --all-pending` takes: 10,000 pending pods of 600 workloads, each with a
// mistake of its own, in a cluster of 5,000 nodes and 10,000 other pods. The first benchmark finds
// the sentences of all groups, the second the fixes of one group.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "explain/pod_groups.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::explain {
namespace {

constexpr int kNodes = 5'000;
constexpr int kPods = 10'000;
constexpr int kWorkloads = 600;
constexpr Instant kNow = Instant::FromUnixSeconds(1'000'000);

api::Quantity Amount(const std::string& text) { return *api::Quantity::Parse(text); }

// Each node has 3.5 to 9 cpu free; some are cordoned, some have a taint.
api::Ref<api::Node> NodeOf(int number) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = fmt::format("node-{:04}", number);
  node->metadata.uid = node->metadata.name;
  node->metadata.labels = {{"topology.kubernetes.io/zone", fmt::format("zone-{}", number % 3)},
                           {"kubernetes.io/hostname", node->metadata.name},
                           {"disktype", number % 2 == 0 ? "ssd" : "hdd"}};
  node->status.allocatable = {
      {"cpu", Amount("16")}, {"memory", Amount("64Gi")}, {"pods", Amount("110")}};
  node->spec.unschedulable = number % 50 == 0;
  if (number % 20 == 1) node->spec.taints = {{"dedicated", "db", "NoSchedule"}};
  return node;
}

std::shared_ptr<api::Pod> PodOf(std::string name) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = std::move(name);
  pod->metadata.uid = pod->metadata.name;
  pod->metadata.namespace_ = "default";
  pod->spec.scheduler_name = "default-scheduler";
  pod->spec.containers.resize(1);
  pod->spec.containers[0].name = "main";
  return pod;
}

// A pod of a workload that no node takes: for want of a label, of cpu, of memory, of cpu on nodes
// with a label, of a zone, or of a device.
api::Ref<api::Pod> StuckPod(int number) {
  const int workload = number % kWorkloads;
  auto pod = PodOf(fmt::format("web-{}-{}", workload, number));
  api::OwnerReference owner;
  owner.api_version = "apps/v1";
  owner.kind = "ReplicaSet";
  owner.name = fmt::format("web-{}", workload);
  owner.controller = true;
  pod->metadata.owner_references = {owner};
  pod->metadata.labels = {{"app", owner.name}};
  api::ResourceList& requests = pod->spec.containers[0].resources.requests;
  requests["cpu"] = Amount("100m");
  switch (workload % 6) {
    case 0:
      pod->spec.node_selector = api::StringMap{{"disktype", fmt::format("sdd{}", workload)}};
      break;
    case 1:
      requests["cpu"] = Amount(fmt::format("{}m", 10'000 + workload));
      break;
    case 2:
      requests["memory"] = Amount(fmt::format("{}Gi", 65 + workload));
      break;
    case 3:
      pod->spec.node_selector = api::StringMap{{"disktype", "ssd"}};
      requests["cpu"] = Amount(fmt::format("{}m", 9'500 + workload));
      break;
    case 4:
      pod->spec.node_selector =
          api::StringMap{{"topology.kubernetes.io/zone", fmt::format("area-{}", workload)}};
      break;
    default:
      requests["nvidia.com/gpu"] = Amount(std::to_string(1 + workload));
  }
  return pod;
}

struct Crowd {
  std::unique_ptr<scheduler::engine::Engine> engine;
  std::vector<api::Ref<api::Pod>> pending;
};

Crowd MakeCrowd() {
  const auto options = scheduler::config::ToEngineOptions(scheduler::config::Default());
  CHECK(options.has_value());
  auto engine = scheduler::engine::Engine::Make(*options, scheduler::plugins::InTreeRegistry());
  CHECK(engine.has_value());
  Crowd crowd{*std::move(engine), {}};
  for (int n = 0; n < kNodes; ++n) {
    const api::Ref<api::Node> node = NodeOf(n);
    crowd.engine->Handle(scheduler::engine::ObjectPut{node}, kNow);
    for (int p = 0; p < 2; ++p) {
      auto pod = PodOf(fmt::format("runs-{}-{}", n, p));
      pod->spec.containers[0].resources.requests["cpu"] =
          Amount(fmt::format("{}m", 3'500 + (n * 7 + p) % 12 * 250));
      pod->spec.node_name = node->metadata.name;
      crowd.engine->Handle(scheduler::engine::ObjectPut{api::Ref<api::Pod>(pod)}, kNow);
    }
  }
  for (int i = 0; i < kPods; ++i) {
    crowd.pending.push_back(StuckPod(i));
    crowd.engine->Handle(scheduler::engine::ObjectPut{crowd.pending.back()}, kNow);
  }
  return crowd;
}

void SentencesOfAllGroups(benchmark::State& state) {
  const Crowd crowd = MakeCrowd();
  ExplainOptions options;
  options.brief = state.range(0) != 0;
  for (auto _ : state) {
    PodGrouping grouping(*crowd.engine, "default-scheduler", kNow, options);
    CHECK(grouping.Add(crowd.pending).has_value());
    CHECK(grouping.groups().groups.size() == size_t{kWorkloads});
  }
  state.counters["pods"] = kPods;
  state.counters["groups"] = kWorkloads;
}
BENCHMARK(SentencesOfAllGroups)->Arg(1)->Arg(0)->ArgName("brief")->Unit(benchmark::kMillisecond);

void FixesOfOneGroup(benchmark::State& state) {
  const Crowd crowd = MakeCrowd();
  ExplainOptions options;
  options.brief = true;
  PodGrouping grouping(*crowd.engine, "default-scheduler", kNow, options);
  CHECK(grouping.Add(crowd.pending).has_value());
  size_t next = 0;
  for (auto _ : state) CHECK(grouping.FindFixes(next++ % kWorkloads).has_value());
}
BENCHMARK(FixesOfOneGroup)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::explain
