// LargeBurst is the events of a burst of any size: an engine places all pods, and their binds are
// seen later than they were decided, so that the order differs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "api/node.h"
#include "api/workloads.h"
#include "base/check.h"
#include "base/random.h"
#include "base/time.h"
#include "scheduler/engine/engine.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::runtime {

struct LargeBurstOptions {
  size_t nodes = 0, pods = 0;
  size_t latency = 0;         // A bind is seen up to so many binds too late.
  bool own_order = false;     // The pods are tried in a random order.
  bool spreads = false;       // A Service selects all pods, so that they are spread.
  bool alike = false;         // All pods request the same.
  bool tainted_node = false;  // One more node, kTaintedNode, which no pod tolerates.
};

struct LargeBurst {
  std::vector<scheduler::engine::Event> objects;  // Nodes, and the pods that wait.
  std::vector<scheduler::engine::Event> binds;
};

inline constexpr const char* kTaintedNode = "tainted";
inline constexpr Duration kBindInterval = Duration::Millis(2);
inline constexpr Instant kBurstTime = Instant::FromUnixSeconds(1'700'000'000);

inline std::unique_ptr<scheduler::engine::Engine> MakeDefaultEngine() {
  scheduler::engine::EngineOptions options;
  options.profiles.emplace_back().multi_point = scheduler::plugins::DefaultPlugins();
  auto engine = scheduler::engine::Engine::Make(options, scheduler::plugins::InTreeRegistry());
  CHECK(engine.has_value());
  return *std::move(engine);
}

inline api::Ref<api::Node> MakeBurstNode(size_t number, Random& random) {
  auto node = std::make_shared<api::Node>();
  node->metadata.name = fmt::format("node-{}", number);
  node->metadata.labels = {{"kubernetes.io/hostname", node->metadata.name},
                           {"topology.kubernetes.io/zone", fmt::format("z{}", number % 3)}};
  node->status.allocatable = {
      {"cpu", api::Quantity::FromValue(int64_t{256} << random.Below(3))},
      {"memory", api::Quantity::FromValue(int64_t{1024} << random.Below(3) << 30)},
      {"pods", api::Quantity::FromValue(1'000)}};
  return node;
}

inline api::Ref<api::Pod> MakeBurstPod(size_t number, bool alike, Random& random) {
  auto pod = std::make_shared<api::Pod>();
  pod->metadata.name = fmt::format("pod-{}", number);
  pod->metadata.namespace_ = "default";
  pod->metadata.uid = pod->metadata.name;
  pod->metadata.labels.emplace("app", fmt::format("app-{}", random.Below(10)));
  pod->metadata.labels.emplace("service", "all");
  pod->spec.scheduler_name = "default-scheduler";
  pod->spec.priority = alike ? 0 : static_cast<int32_t>(random.Below(2));
  api::Container& container = pod->spec.containers.emplace_back();
  container.name = "main";
  container.resources.requests = {
      {"cpu",
       api::Quantity::FromMilli(static_cast<int64_t>(100 * (1 + (alike ? 4 : random.Below(10)))))},
      {"memory",
       api::Quantity::FromValue(static_cast<int64_t>((1 + (alike ? 3 : random.Below(8))) << 28))}};
  return pod;
}

inline LargeBurst MakeLargeBurst(const LargeBurstOptions& options) {
  Random random(1);
  LargeBurst burst;
  for (size_t i = 0; i < options.nodes; ++i)
    burst.objects.push_back(scheduler::engine::ObjectPut{MakeBurstNode(i, random)});
  if (options.tainted_node) {
    auto node = std::make_shared<api::Node>(*MakeBurstNode(options.nodes, random));
    node->metadata.name = kTaintedNode;
    node->spec.taints.push_back({"own", "", "NoSchedule"});
    burst.objects.push_back(scheduler::engine::ObjectPut{api::Ref<api::Node>(std::move(node))});
  }
  if (options.spreads) {
    auto service = std::make_shared<api::Service>();
    service->metadata.name = "all";
    service->metadata.namespace_ = "default";
    service->selector.emplace().emplace("service", "all");
    burst.objects.push_back(scheduler::engine::ObjectPut{api::Ref<api::Service>(service)});
  }
  std::unordered_map<std::string, api::Ref<api::Pod>> by_name;
  std::vector<scheduler::engine::Event> pods;
  for (size_t i = 0; i < options.pods; ++i) {
    const auto pod = MakeBurstPod(i, options.alike, random);
    by_name.emplace(pod->metadata.name, pod);
    pods.push_back(scheduler::engine::ObjectPut{pod});
  }
  const auto engine = MakeDefaultEngine();
  for (const auto& event : burst.objects) engine->Handle(event, kBurstTime);
  burst.objects.insert(burst.objects.end(), pods.begin(), pods.end());
  if (options.own_order) {
    for (size_t i = pods.size(); i > 1; --i) std::swap(pods[i - 1], pods[random.Below(i)]);
  }
  for (const auto& event : pods) engine->Handle(event, kBurstTime);
  std::vector<std::pair<size_t, api::Ref<api::Pod>>> binds;
  while (engine->Schedule(kBurstTime, 1) > 0) {
    for (const auto& command : engine->TakeCommands()) {
      const auto* bind = std::get_if<scheduler::framework::BindPod>(&command.write);
      if (bind == nullptr) continue;
      auto bound = api::CopyToChange(*by_name.at(bind->pod.name));
      bound->spec.node_name = bind->node;
      binds.emplace_back(binds.size() + random.Below(options.latency + 1), std::move(bound));
    }
  }
  std::ranges::stable_sort(binds, {}, &std::pair<size_t, api::Ref<api::Pod>>::first);
  for (const auto& [turn, pod] : binds) burst.binds.push_back(scheduler::engine::ObjectPut{pod});
  return burst;
}

}  // namespace berth::runtime
