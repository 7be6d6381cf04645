// Decisions per second of the engine for pods with a resource claim each, made from one template:
// no API, but every write of a claim is answered and every object shown, as an API would.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "api/node.h"
#include "api/pod.h"
#include "api/resource_claim.h"
#include "base/check.h"
#include "scheduler/config/configuration.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"
#include "scheduler/queue/scheduling_queue.h"

namespace berth {
namespace {

using scheduler::engine::Engine;

constexpr Instant kStart = Instant::FromUnixSeconds(1'700'000'000);

api::Quantity Amount(const char* text) { return *api::Quantity::Parse(text); }

std::string NodeName(size_t i) { return fmt::format("node-{:05}", i); }

void PutNode(Engine& engine, size_t i, size_t devices) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = NodeName(i);
  node->metadata.labels = {{"kubernetes.io/hostname", node->metadata.name}};
  node->status.allocatable = {
      {"cpu", Amount("32")}, {"memory", Amount("256Gi")}, {"pods", Amount("110")}};
  auto slice = std::make_shared<api::ResourceSlice>();
  slice->metadata.name = "slice-" + node->metadata.name;
  slice->driver = "gpu.example.com";
  slice->pool = {.name = node->metadata.name, .generation = 1, .resource_slice_count = 1};
  slice->node_name = node->metadata.name;
  for (size_t d = 0; d < devices; ++d) {
    api::Device& device = slice->devices.emplace_back();
    device.name = fmt::format("gpu-{}", d);
    device.attributes["model"].string_value = "a100";
    device.attributes["uuid"].string_value = fmt::format("{}-{}", i, d);
    device.capacity["memory"].value = Amount("40Gi");
  }
  engine.Handle(scheduler::engine::ObjectPut{api::Object(api::Ref<api::Node>(node))}, kStart);
  engine.Handle(scheduler::engine::ObjectPut{api::Object(api::Ref<api::ResourceSlice>(slice))},
                kStart);
}

void PutClass(Engine& engine) {
  auto device_class = std::make_shared<api::DeviceClass>();
  device_class->metadata.name = "gpu";
  device_class->selectors = {{"device.driver == \"gpu.example.com\""}};
  engine.Handle(scheduler::engine::ObjectPut{api::Object(api::Ref<api::DeviceClass>(device_class))},
                kStart);
}

// What the API has: the pods and claims by name.
class Api {
 public:
  explicit Api(Engine& engine) : engine_(engine) {}

  void AddPod(size_t i) {
    auto claim = std::make_shared<api::ResourceClaim>();
    claim->metadata.name = fmt::format("claim-{}", i);
    claim->metadata.namespace_ = "default";
    claim->metadata.uid = fmt::format("uid-claim-{}", i);
    claim->metadata.owner_references.push_back({.api_version = "v1",
                                                .kind = "Pod",
                                                .name = fmt::format("pod-{}", i),
                                                .uid = fmt::format("uid-pod-{}", i),
                                                .controller = true});
    api::DeviceRequest& request = claim->spec.requests.emplace_back();
    request.name = "gpu";
    request.exactly.emplace();
    request.exactly->device_class_name = "gpu";
    request.exactly->allocation_mode = "ExactCount";
    request.exactly->count = 1;
    request.exactly->selectors = {{"device.attributes[\"gpu.example.com\"].model == \"a100\""}};
    Show(std::move(claim));

    auto pod = std::make_shared<api::Pod>();
    pod->metadata.name = fmt::format("pod-{}", i);
    pod->metadata.namespace_ = "default";
    pod->metadata.uid = fmt::format("uid-pod-{}", i);
    pod->spec.scheduler_name = "default-scheduler";
    api::Container& container = pod->spec.containers.emplace_back();
    container.name = "pause";
    container.image = "registry.k8s.io/pause:3.10";
    container.resources.requests = {{"cpu", Amount("100m")}, {"memory", Amount("500Mi")}};
    pod->spec.resource_claims = {{"gpu", std::nullopt, "gpu"}};
    pod->status.resource_claim_statuses = {{"gpu", fmt::format("claim-{}", i)}};
    pods_[pod->metadata.name] = pod;
    engine_.Handle(scheduler::engine::ObjectPut{api::Object(api::Ref<api::Pod>(pod))}, kStart);
  }

  // Answers all commands, and those that follow from the answers.
  void Answer() {
    for (auto commands = engine_.TakeCommands(); !commands.empty();
         commands = engine_.TakeCommands()) {
      for (const scheduler::engine::Command& command : commands) Answer(command);
    }
  }

  size_t bound() const { return bound_; }

 private:
  void Show(std::shared_ptr<api::ResourceClaim> claim) {
    claim->metadata.resource_version = std::to_string(++version_);
    engine_.Handle(
        scheduler::engine::ObjectPut{api::Object(api::Ref<api::ResourceClaim>(std::move(claim)))},
        kStart);
  }

  void Answer(const scheduler::engine::Command& command) {
    scheduler::framework::WriteResult result;
    std::shared_ptr<api::ResourceClaim> written;
    if (const auto* update =
            std::get_if<scheduler::framework::UpdateResourceClaim>(&command.write)) {
      written = std::make_shared<api::ResourceClaim>(*update->object);
    } else if (const auto* status =
                   std::get_if<scheduler::framework::UpdateResourceClaimStatus>(&command.write)) {
      written = std::make_shared<api::ResourceClaim>(*status->object);
    }
    if (written != nullptr) {
      written->metadata.resource_version = std::to_string(++version_);
      result.resource_version = written->metadata.resource_version;
      result.claim = written;
    }
    engine_.Handle(scheduler::engine::WriteDone{command.id, result}, kStart);
    // The watch shows it afterwards.
    if (written != nullptr) {
      engine_.Handle(
          scheduler::engine::ObjectPut{api::Object(api::Ref<api::ResourceClaim>(written))}, kStart);
    }
    if (const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write)) {
      auto pod = std::make_shared<api::Pod>(*pods_.at(bind->pod.name));
      pod->spec.node_name = bind->node;
      ++bound_;
      engine_.Handle(scheduler::engine::ObjectPut{api::Object(api::Ref<api::Pod>(pod))}, kStart);
    }
  }

  Engine& engine_;
  std::unordered_map<std::string, std::shared_ptr<const api::Pod>> pods_;
  uint64_t version_ = 0;
  size_t bound_ = 0;
};

// As many pods as there are devices.
void ClaimTemplate(benchmark::State& state) {
  const auto nodes = static_cast<size_t>(state.range(0));
  const auto devices = static_cast<size_t>(state.range(1));
  const size_t pods = nodes * devices;
  size_t decided = 0;
  std::vector<int64_t> latencies;
  for (auto _ : state) {
    state.PauseTiming();
    scheduler::engine::EngineOptions options;
    options.profiles = *scheduler::config::ToProfileConfigs(scheduler::config::Default());
    auto engine = *Engine::Make(options, scheduler::plugins::InTreeRegistry());
    PutClass(*engine);
    for (size_t i = 0; i < nodes; ++i) PutNode(*engine, i, devices);
    Api api(*engine);
    for (size_t i = 0; i < pods; ++i) api.AddPod(i);
    state.ResumeTiming();
    while (true) {
      const auto start = std::chrono::steady_clock::now();
      if (engine->Schedule(kStart, 1) == 0) break;
      latencies.push_back((std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1));
      api.Answer();
    }
    decided += pods;
    state.PauseTiming();
    CHECK(api.bound() == pods);
    engine.reset();
    state.ResumeTiming();
  }
  state.counters["decisions"] =
      benchmark::Counter(static_cast<double>(decided), benchmark::Counter::kIsRate);
  std::ranges::sort(latencies);
  state.counters["p50_us"] = static_cast<double>(latencies[latencies.size() / 2]) / 1e3;
  state.counters["p99_us"] = static_cast<double>(latencies[latencies.size() * 99 / 100]) / 1e3;
}

BENCHMARK(ClaimTemplate)
    ->ArgNames({"nodes", "devices"})
    ->Args({500, 20})
    ->Args({5'000, 4})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth
